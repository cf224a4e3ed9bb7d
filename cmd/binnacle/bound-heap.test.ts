import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const megabyte = 1024 * 1024;

/** Grows the young generation to half of its limit, then makes objects that outlive several collections; prints its size at both points. */
const script = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
  const churn = (until) => { let kept = []; for (let n = 0; n < 5e6 && !until(); n++) { kept.push({ n }); if (kept.length > 2e5) kept = []; } };
  churn(() => young() >= 16 * ${megabyte});
  const before = young();
  if (process.env.BOUNDED) (await import(${JSON.stringify(path.join(import.meta.dirname, 'bound-heap.ts'))})).boundHeap();
  churn(() => false);
  console.log(JSON.stringify([before, young()]));
`;

describe('boundHeap', () => {
  async function youngSizes(env: Record<string, string>): Promise<[before: number, after: number]> {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { env: { ...process.env, ...env } });
    return JSON.parse(stdout) as [number, number];
  }

  it('keeps the young generation from growing on', async () => {
    const [before, after] = await youngSizes({ BOUNDED: '1' });
    assert.ok(after <= before, `${before} grew to ${after}`);
  });

  it('is needed: by itself it grows', async () => {
    const [before, after] = await youngSizes({});
    assert.ok(after > before, `${before} did not grow: ${after}`);
  });
});

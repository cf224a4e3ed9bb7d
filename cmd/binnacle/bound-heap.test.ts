import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const megabyte = 1024 * 1024;

/** What the scripts have in common: the size of the young generation, and objects that outlive several collections. */
const head = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const MEGABYTE = ${megabyte};
  const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
  const churn = (until) => { let kept = []; for (let n = 0; n < 5e6 && !until(); n++) { kept.push({ n }); if (kept.length > 2e5) kept = []; } };
  const bound = async () => { if (process.env.BOUNDED) (await import(${JSON.stringify(path.join(import.meta.dirname, 'bound-heap.ts'))})).boundHeap(process.env.BOUNDED); };
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  churn(() => young() >= ((process.env.BOUNDED ?? 'server') === 'server' ? 16 : 8) * MEGABYTE);
`;
/** Goes on when the young generation has its bound (16 MB without one); prints its size before and after. */
const goesOn = `${head}
  const before = young();
  await bound();
  churn(() => false);
  console.log(JSON.stringify([before, young()]));
`;
/** Does nothing until V8 makes it small, then goes on; prints its size before and after. */
const rests = `${head}
  await bound();
  while (young() > 2 * MEGABYTE) {
    await sleep(200);
    globalThis.gc();
  }
  await sleep(1000);
  const before = young();
  churn(() => young() >= 8 * MEGABYTE);
  console.log(JSON.stringify([before, young()]));
`;

describe('boundHeap', () => {
  async function youngSizes(script: string, env: Record<string, string>): Promise<[before: number, after: number]> {
    const { stdout } = await run(
      process.execPath,
      ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', script],
      { env: { ...process.env, ...env } },
    );
    return JSON.parse(stdout) as [number, number];
  }

  for (const program of ['server', 'program', 'manager']) {
    it(`keeps the young generation of a ${program} from growing on`, async () => {
      const [before, after] = await youngSizes(goesOn, { BOUNDED: program });
      assert.ok(after <= before, `${before} grew to ${after}`);
    });
  }

  it('is needed: without it the heap grows', async () => {
    const [before, after] = await youngSizes(goesOn, {});
    assert.ok(after > before, `${before} did not grow: ${after}`);
  });

  it('lets it grow again when V8 has made it small', async () => {
    const [before, after] = await youngSizes(rests, { BOUNDED: 'server' });
    assert.ok(before <= 2 * megabyte && after >= 8 * megabyte, `${before} became ${after}`);
  }).timeout(60_000);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

describe('work of a write', () => {
  it('grows no faster than the object, whichever list, map or text of whichever kind is long', async function () {
    this.timeout(400_000);
    // A process of its own: counting changes the methods of lists.
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'test/growth/report-growth.ts'], {
      maxBuffer: 64 * 1024 * 1024,
      timeout: 390_000,
    });
    const { kinds, findings } = JSON.parse(stdout) as {
      kinds: number;
      findings: { kind: string; place: string; work: string; small: number; large: number }[];
    };
    assert.ok(kinds > 60, `${kinds} kinds were looked at`);
    assert.deepEqual(
      findings.map(({ kind, place, work, small, large }) => `${kind} ${place}: ${work} ${small} -> ${large}`),
      [],
    );
  });
});

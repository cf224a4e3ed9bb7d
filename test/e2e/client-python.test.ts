/** Python's kubernetes against the built program, and its watches over a restart. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { runOverRestart } from '../fixtures/over-restart.ts';
import { toolPath } from '../fixtures/run-program.ts';

const runMs = 200_000;

describe("Python's kubernetes", function () {
  this.timeout(runMs + 20_000);
  let server: BinnacleProcess;

  before(async () => {
    server = await startBinnacle();
  });
  after(() => server?.stop());

  it('changes objects of all sizes, watches them, and follows them over a restart', async () => {
    const program = path.join(import.meta.dirname, 'client-python', 'main.py');
    assert.equal(
      await runOverRestart(
        toolPath('python-kubernetes'),
        [program, server.url, server.token],
        () => server.restart(),
        runMs,
      ),
      'synced\ndone\n',
    );
  });
});

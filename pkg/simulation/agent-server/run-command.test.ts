import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { runCommand } from './run-command.ts';

describe('runCommand', () => {
  const run = async (command: readonly string[] | readonly { readonly line: string }[]): Promise<unknown[]> => {
    const clock = new FakeClock();
    const [stdout, stderr, error] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const running = runCommand(command, { stdout, stderr, error }, clock);
    await clock.advance(10_000);
    await running;
    const { status, details } = JSON.parse(await text(error)) as { status: string; details?: { causes: unknown[] } };
    return [await text(stdout), status, ...(details?.causes ?? [])];
  };

  it('does as if a command ran', async () => {
    assert.deepEqual(await run(['echo', 'hello']), ['hello\n', 'Success']);
    assert.deepEqual(await run(['sh', '-c', 'echo a; sleep 2; echo b; exit 3']), [
      'a\nb\n',
      'Failure',
      { reason: 'ExitCode', message: '3' },
    ]);
    assert.deepEqual(await run(['nginx', '-t']), ['simulated: nginx -t\n', 'Success']);
  });

  it('shows the lines of a container that is attached to', async () => {
    assert.deepEqual(await run([{ line: 'one' }, { line: 'two' }]), ['one\ntwo\n', 'Success']);
  });

  it('has no tar, so that files are not thought to be copied', async () => {
    const [stdout, stderr, error] = [new PassThrough(), new PassThrough(), new PassThrough()];
    await runCommand(['tar', '-xmf', '-', '-C', '/tmp'], { stdout, stderr, error }, new FakeClock());
    assert.match(await text(stderr), /tar: not found/);
    assert.equal(await text(stdout), '');
    assert.match(await text(error), /"reason":"NonZeroExitCode".*"message":"127"/);
  });
});

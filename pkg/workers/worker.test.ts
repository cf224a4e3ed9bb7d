import assert from 'node:assert/strict';
import { parseYaml } from '../codec/yaml.ts';
import { run, type WorkerReply } from './worker.ts';

describe('worker', () => {
  /** As it arrives on the other side. */
  const ask = async (request: Parameters<typeof run>[0]): Promise<WorkerReply> => structuredClone(await run(request));
  const started = new SharedArrayBuffer(8);

  it('applies patches', async () =>
    assert.deepEqual(
      await ask({ kind: 'patch', started, task: { type: 'merge', document: { a: 1n }, patch: { b: 2 }, message: '' } }),
      { kind: 'value', value: { a: 1n, b: 2 } },
    ));

  it('returns errors of a patch as data', async () => {
    assert.deepEqual(
      await ask({
        kind: 'patch',
        started,
        task: { type: 'json', document: {}, patch: [{ op: 'test', path: '/a', value: 1 }], message: '' },
      }),
      { kind: 'patch-error', errorKind: 'rejected', message: 'testing value /a failed: test failed' },
    );
  });

  it('throws errors that are not of the patch', () =>
    assert.rejects(
      run({ kind: 'patch', started, task: { type: 'strategic', document: {}, patch: {}, message: 'no/such.Message' } }),
      /no message/,
    ));

  it('turns JSON into YAML, digits and all', async () => {
    const reply = await ask({ kind: 'json-to-yaml', json: Buffer.from('{"a":9007199254740993,"b":"yes"}') });
    assert.ok(reply.kind === 'value');
    assert.deepEqual(parseYaml(Buffer.from(reply.value as Uint8Array).toString()), { a: 9007199254740993n, b: 'yes' });
  });

  it('reads YAML', async () => {
    assert.deepEqual(await ask({ kind: 'read-yaml', yaml: Buffer.from('a: 1\na: 2\n') }), {
      kind: 'value',
      value: { value: { a: 2 }, duplicate: 'yaml: unmarshal errors:\n  line 2: key "a" already set in map' },
    });
    const broken = await ask({ kind: 'read-yaml', yaml: Buffer.from('a: [') });
    assert.ok(broken.kind === 'value' && /^yaml: line \d+: /.test((broken.value as { error: string }).error));
  });
});

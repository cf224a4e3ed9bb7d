import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('bindings', () => {
  let api: TestServer;
  const pods = '/api/v1/namespaces/default/pods';
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());
  const makePod = async (name: string, more: object = {}) => {
    const created = await api.send('POST', pods, {
      metadata: { name, annotations: { kept: 'x' }, ...more },
      spec: { containers: [{ name: 'c', image: 'i:1' }] },
    });
    assert.equal(created.status, 201);
    return created.body;
  };
  const bind = (name: string, body: object, query = '') =>
    api.send('POST', `${pods}/${name}/binding${query}`, { apiVersion: 'v1', kind: 'Binding', ...body });
  const target = { kind: 'Node', name: 'n1' };

  it('put a pod on a node', async () => {
    await makePod('a');
    assert.equal(
      (
        await api.send(
          'PATCH',
          `${pods}/a/status`,
          { status: { nominatedNodeName: 'n9' } },
          { 'content-type': 'application/merge-patch+json' },
        )
      ).status,
      200,
    );
    const answer = await bind('a', { metadata: { name: 'a', annotations: { added: 'y' } }, target });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
    const { metadata, spec, status } = (await api.send('GET', `${pods}/a`)).body;
    assert.equal(spec.nodeName, 'n1');
    assert.deepEqual(metadata.annotations, { kept: 'x', added: 'y' });
    assert.deepEqual([metadata.generation, status.nominatedNodeName], [1, undefined]);
    const [condition] = status.conditions;
    assert.deepEqual([condition.type, condition.status, condition.lastProbeTime], ['PodScheduled', 'True', null]);
    const again = await bind('a', { metadata: { name: 'a' }, target: { name: 'n2' } });
    assert.deepEqual([again.status, again.body.details], [409, { name: 'a', kind: 'pods/binding' }]);
    assert.equal(
      again.body.message,
      'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
    );
  });

  it('come by the older path too', async () => {
    await makePod('b');
    assert.equal(
      (await api.send('POST', '/api/v1/namespaces/default/bindings', { metadata: { name: 'b' }, target })).status,
      201,
    );
    assert.equal((await api.send('GET', `${pods}/b`)).body.spec.nodeName, 'n1');
  });

  it('copy zone and region of the node onto the pod, by both paths', async () => {
    const labels = { 'topology.kubernetes.io/zone': 'zone-a', 'topology.kubernetes.io/region': 'r' };
    const node = { metadata: { name: 'zoned', labels: { ...labels, other: 'x' } } };
    assert.equal((await api.send('POST', '/api/v1/nodes', node)).status, 201);
    const zoned = { kind: 'Node', name: 'zoned' };
    await makePod('zoned-1', { labels: { app: 'web', 'topology.kubernetes.io/region': 'old' } });
    assert.equal((await bind('zoned-1', { metadata: { name: 'zoned-1' }, target: zoned })).status, 201);
    assert.deepEqual((await api.send('GET', `${pods}/zoned-1`)).body.metadata.labels, { app: 'web', ...labels });
    await makePod('zoned-2');
    const older = await api.send('POST', '/api/v1/namespaces/default/bindings', {
      metadata: { name: 'zoned-2' },
      target: zoned,
    });
    assert.equal(older.status, 201);
    assert.deepEqual((await api.send('GET', `${pods}/zoned-2`)).body.metadata.labels, labels);
  });

  it('are refused where they make no sense', async () => {
    const pod = await makePod('c', { finalizers: ['example.com/hold'] });
    assert.equal((await bind('none', { metadata: { name: 'none' }, target })).body.message, 'pods "none" not found');
    assert.equal(
      (await bind('c', { metadata: { name: 'x' }, target })).body.message,
      'name in URL does not match name in Binding object',
    );
    const kind = await bind('c', { metadata: { name: 'c' }, target: { kind: 'Minion', name: 'n1' } });
    assert.deepEqual(
      [kind.status, kind.body.message],
      [500, 'target.kind: Unsupported value: "Minion": supported values: "Node", "<empty>"'],
    );
    const uid = await bind('c', { metadata: { name: 'c', uid: 'other' }, target });
    assert.equal(uid.status, 409);
    const version = await bind('c', { metadata: { name: 'c', uid: pod.metadata.uid, resourceVersion: '1' }, target });
    assert.equal(version.status, 409);
    assert.equal((await bind('c', { metadata: { name: 'c' }, target }, '?dryRun=All')).status, 201);
    assert.equal((await api.send('GET', `${pods}/c`)).body.spec.nodeName, undefined);
    await api.send('DELETE', `${pods}/c`);
    const going = await bind('c', { metadata: { name: 'c' }, target });
    assert.match(going.body.message, /pod c is being deleted, cannot be assigned to a host/);
  });
});

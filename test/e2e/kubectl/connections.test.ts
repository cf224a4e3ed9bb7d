import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment, documents, list, node, pod } from './manifests.ts';
import { rows } from './printed.ts';

eachKubectl('connections', (bench) => {
  before(async () => {
    await bench().kubectl.input(
      documents(configMap('settings', { a: '1' }), deployment('web'), pod('one', {}, { nodeName: 'connections-node' })),
    ).ok`create -f -`;
  });

  it('proxies', async () => {
    const { kubectl } = bench();
    const proxy = kubectl.start`proxy --port=0`;
    try {
      const started = await proxy.until((text) => text.includes('Starting to serve on'));
      const base = `http://${/Starting to serve on (\S+)/.exec(started)![1]}`;
      const read = await fetch(`${base}/api/v1/namespaces/connections/configmaps/settings`);
      assert.equal(read.status, 200);
      assert.deepEqual(((await read.json()) as { data: object }).data, { a: '1' });
      const made = await fetch(`${base}/api/v1/namespaces/connections/configmaps`, {
        method: 'POST',
        body: JSON.stringify(configMap('by-proxy')),
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(made.status, 201);
      const watch = await fetch(
        `${base}/api/v1/namespaces/connections/configmaps?watch=1&resourceVersion=0&timeoutSeconds=1`,
      );
      assert.match(await watch.text(), /^\{"type":"ADDED","object":\{.*"kind":"ConfigMap"/);
      assert.equal((await fetch(`${base}/nowhere`)).status, 404);
    } finally {
      await proxy.stop();
    }
  });

  it('compares what is with what would be', async () => {
    const { kubectl } = bench();
    assert.equal((await kubectl.input(configMap('settings', { a: '1' })).run`diff -f -`).status, 0);
    const { status, stdout } = await kubectl.input(
      list(configMap('settings', { a: '2' }), configMap('new', { b: '3' })),
    ).run`diff -f -`;
    assert.equal(status, 1);
    assert.match(stdout, /\n-  a: "1"\n\+  a: "2"\n/);
    assert.match(stdout, /\n\+data:\n\+  b: "3"\n\+kind: ConfigMap\n/);
    const scaled = await kubectl.input(deployment('web', 'nginx:1.27', 3)).run`diff -f -`;
    assert.match(scaled.stdout, /\n-  generation: 1\n\+  generation: 2\n/);
    assert.match(scaled.stdout, /\n-  replicas: 1\n\+  replicas: 3\n/);
    assert.match(scaled.stdout, /\n-      - image: nginx:1\.25\n\+      - image: nginx:1\.27\n/);
    assert.equal(await kubectl.ok`get deployment web -o jsonpath={.spec.replicas}`, '1');
  });

  describe('to containers', () => {
    it('fail while the pod has no node, or one that is not known', async () => {
      const { kubectl } = bench();
      await kubectl.input(pod('waiting')).ok`create -f -`;
      for (const text of [
        await kubectl.fails`exec waiting -- ls`,
        await kubectl.fails`attach waiting`,
        await kubectl.fails`cp waiting:/etc/hosts ${kubectl.settings.home}/hosts`,
      ]) {
        assert.match(text, /Error from server \(BadRequest\): pod waiting does not have a host assigned\n$/);
      }
      assert.equal(await kubectl.fails`logs one`, 'Error from server (NotFound): nodes "connections-node" not found\n');
      assert.equal(
        await kubectl.fails`exec one -- ls`,
        'Error from server (NotFound): nodes "connections-node" not found\n',
      );
      assert.match(
        await kubectl.fails`port-forward pod/one 0:80`,
        /unable to forward port because pod is not running\. Current status=Pending/,
      );
      assert.match(await kubectl.fails`logs nobody`, /pods "nobody" not found/);
    });

    it('fail while the node has no address', async () => {
      const { kubectl } = bench();
      await kubectl.input(documents(node('connections-bare'), pod('placed', {}, { nodeName: 'connections-bare' })))
        .ok`create -f -`;
      await kubectl.ok`patch pod placed --subresource=status --type=merge -p ${'{"status":{"phase":"Running"}}'}`;
      for (const text of [
        await kubectl.fails`logs placed`,
        await kubectl.fails`exec placed -- ls`,
        await kubectl.fails`port-forward pod/placed 0:80`,
      ]) {
        assert.match(text, /no preferred addresses found; known addresses: \[\]\n$/);
      }
    });
  });

  it('shows events', async () => {
    const { kubectl } = bench();
    const { uid } = (await kubectl.json`get pod one`).metadata;
    await kubectl.input({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'one.1' },
      type: 'Warning',
      reason: 'Tested',
      message: 'seen by the test',
      count: 3,
      source: { component: 'test' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'one', namespace: 'connections', uid },
      firstTimestamp: new Date().toISOString(),
      lastTimestamp: new Date().toISOString(),
    }).ok`create -f -`;
    assert.deepEqual(
      rows(await kubectl.ok`get events`).map((row) => row.slice(1)),
      [
        ['TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
        ['Warning', 'Tested', 'pod/one', 'seen by the test'],
      ],
    );
    assert.equal(await kubectl.ok`get events --field-selector involvedObject.name=other -o name`, '');
    assert.match(
      await kubectl.ok`describe pod one`,
      /Events:\n +Type +Reason +Age +From +Message\n.*\n +Warning +Tested +.* +test +seen by the test\n/,
    );
    const shown = await (kubectl.minor < 26
      ? kubectl.ok`alpha events --for=pod/one`
      : kubectl.ok`events --for=pod/one`);
    assert.deepEqual(
      rows(shown).map((row) => row.slice(1)),
      [
        ['TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
        ['Warning', 'Tested', 'Pod/one', 'seen by the test'],
      ],
    );
  });
});

/** A server that is told to stop, as a process of its own: it ends by itself and in time, whatever does not answer it. */
import assert from 'node:assert/strict';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle } from '../fixtures/binnacle-process.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startWebhookServer } from '../fixtures/webhook-server.ts';

describe('a server that is told to stop', function () {
  this.timeout(90_000);

  it('ends with status 0 although its store hangs, a webhook is silent, and clients watch', async () => {
    const [etcd, hook] = await Promise.all([EtcdServer.start(), startWebhookServer()]);
    const server = await startBinnacle(['--storage-backend=etcd3', `--store-servers=${etcd.url}`, '--advertise-address=192.0.2.1']);
    const client = new ApiClient(server.url, server.token);
    try {
      await client.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        metadata: { name: 'silent' },
        webhooks: [{
          name: 'silent.example.com', clientConfig: hook.clientConfig(), sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 30,
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        }],
      });
      const watch = client.watch('/api/v1/namespaces?watch=1');
      await watch.until((events) => events.length > 0);
      const asked = new Promise<void>((resolve) => hook.misbehave(() => resolve()));
      const held = client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'held' } }).then(({ status }) => status, () => 'cut off');
      await asked;
      etcd.freeze();
      // Throws unless the server ended by itself and with status 0.
      await server.stop();
      await watch.untilEnd();
      assert.equal(await held, 'cut off');
    } finally {
      client.close();
      await server.stop();
      await Promise.all([etcd.stop(), hook.close()]);
    }
  });
});

/** Webhooks behind services: `--enable-aggregator-routing` decides whether the cluster IP or an endpoint is called. */
import assert from 'node:assert/strict';
import { startTestServer } from '../fixtures/test-server.ts';
import { startWebhookServer } from '../fixtures/webhook-server.ts';

describe('an admission webhook behind a service', () => {
  it('is called at its endpoints where calls go there', async () => {
    const hook = await startWebhookServer();
    const server = await startTestServer({ args: ['--enable-aggregator-routing'] });
    try {
      const { client } = server;
      await client.post('/api/v1/namespaces/default/services', { metadata: { name: 'hook' }, spec: { ports: [{ name: 'https', port: 443 }] } });
      const made = await client.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        metadata: { name: 'w' },
        webhooks: [{
          name: 'w.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: { service: { namespace: 'default', name: 'hook' }, caBundle: hook.clientConfig().caBundle },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        }],
      });
      assert.equal(made.status, 201, made.body.toString());
      const refused = await client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
      assert.equal(refused.status, 500);
      assert.match(refused.json.message, /failed calling webhook "w\.example\.com": .*no endpoints available for service "hook"/);
    } finally {
      await server.stop();
      await hook.close();
    }
  });
});

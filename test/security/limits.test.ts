/** Many requests at once and requests that never end: others are served, and refused clients are asked to retry. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { answerJson } from '../../pkg/net/https-service-testing.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';
import { startWithLowUser, type LowUserSetting } from './low-user.ts';

/**
 * A server whose creates of config maps in the namespace `mine` wait for a webhook that answers when the test says so.
 */
async function startHeld(args: readonly string[]): Promise<{
  setting: LowUserSetting;
  hook: WebhookServer;
  held: (() => void)[];
  create: (name: string) => Promise<Answer>;
}> {
  const [setting, hook] = await Promise.all([startWithLowUser(args), startWebhookServer()]);
  const held: (() => void)[] = [];
  hook.misbehave((response: ServerResponse, request) =>
    held.push(() =>
      answerJson(response, {
        kind: 'AdmissionReview',
        apiVersion: 'admission.k8s.io/v1',
        response: { uid: request.uid, allowed: true },
      }),
    ),
  );
  const { client } = setting.server;
  await client.post('/apis/rbac.authorization.k8s.io/v1/namespaces/mine/rolebindings', {
    metadata: { name: 'editor' },
    subjects: [{ kind: 'User', name: 'low', apiGroup: 'rbac.authorization.k8s.io' }],
    roleRef: { kind: 'ClusterRole', name: 'edit', apiGroup: 'rbac.authorization.k8s.io' },
  });
  await client.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'slow' },
    webhooks: [
      {
        name: 'slow.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 30,
        clientConfig: hook.clientConfig('/'),
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      },
    ],
  });
  return {
    setting,
    hook,
    held,
    create: (name) => setting.low.post('/api/v1/namespaces/mine/configmaps', { metadata: { name } }),
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a flood of requests', function () {
  this.timeout(60_000);

  it('is refused beyond the limit, while administrators, health checks, reads and watches go on', async () => {
    const { setting, hook, held, create } = await startHeld([
      '--enable-priority-and-fairness=false',
      '--max-mutating-requests-inflight=2',
      '--max-requests-inflight=50',
    ]);
    try {
      // The binding has to be known before.
      await until(() => setting.server.running.server.storeOf('rolebindings.rbac.authorization.k8s.io').cache.size > 1);
      const inFlight = [create('one'), create('two')];
      await until(() => held.length === 2);
      const refused = await Promise.all(Array.from({ length: 20 }, (_, i) => create(`more-${i}`)));
      for (const { status, headers, body } of refused)
        assert.deepEqual(
          [status, headers['retry-after'], body.toString()],
          [429, '1', 'Too many requests, please try again later.\n'],
        );
      const { client } = setting.server;
      assert.equal(
        (await client.post('/api/v1/namespaces/mine/secrets', { metadata: { name: 'by-administrator' } })).status,
        201,
      );
      for (const path of ['/healthz', '/livez', '/readyz', '/api/v1/namespaces/mine/configmaps'])
        assert.equal((await setting.low.get(path)).status, 200, path);
      const watch = setting.low.watch('/api/v1/namespaces/mine/configmaps?watch=true');
      held.forEach((answer) => answer());
      assert.deepEqual(
        (await Promise.all(inFlight)).map(({ status }) => status),
        [201, 201],
      );
      await watch.until((events) => events.some(({ object }) => object.metadata.name === 'two'));
      watch.close();
      const last = create('again');
      await until(() => held.length === 3);
      held[2]!();
      assert.equal((await last).status, 201);
    } finally {
      await setting.stop();
      await hook.close();
    }
  });

  it('of requests that never end is answered when their time is up', async () => {
    const { setting, hook, held, create } = await startHeld(['--request-timeout=1s']);
    try {
      const { status, json } = await create('endless');
      assert.deepEqual(
        [status, json.reason, json.message],
        [504, 'Timeout', 'Timeout: request did not complete within the allotted timeout'],
      );
      assert.equal((await setting.low.get('/api/v1/namespaces/mine/configmaps?timeout=banana')).status, 400);
      assert.equal((await setting.low.get('/api/v1/namespaces/mine/configmaps')).status, 200);
      held.forEach((answer) => answer());
    } finally {
      await setting.stop();
      await hook.close();
    }
  });

  it('from scripts of other origins gets no leave to be read', async () => {
    const { setting, hook } = await startHeld([String.raw`--cors-allowed-origins=^https://ui\.example\.com$`]);
    try {
      const ask = (origin: string): Promise<Answer> =>
        setting.low.send('OPTIONS', '/api/v1/namespaces/mine/configmaps', {
          headers: { origin, 'access-control-request-method': 'POST' },
        });
      const allowed = await ask('https://ui.example.com');
      assert.deepEqual(
        [allowed.status, allowed.headers['access-control-allow-origin']],
        [204, 'https://ui.example.com'],
      );
      const other = await ask('https://ui.example.com.evil.example');
      assert.equal(other.headers['access-control-allow-origin'], undefined);
    } finally {
      await setting.stop();
      await hook.close();
    }
  });
});

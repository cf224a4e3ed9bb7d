import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { patchResponse, startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';

/** What audit events say of the webhooks that a request has passed. */
describe('audit annotations of webhooks', () => {
  let dir: string;
  let server: TestServer;
  let hook: WebhookServer;
  const log = () => path.join(dir, 'audit.log');
  const about = { configuration: 'audited', webhook: 'w.audited.example.com' };
  const mutated = (value: boolean): string => JSON.stringify({ ...about, mutated: value });

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-webhook-audit-'));
    const policy = path.join(dir, 'policy.yaml');
    writeFileSync(
      policy,
      JSON.stringify({
        apiVersion: 'audit.k8s.io/v1',
        kind: 'Policy',
        omitStages: ['RequestReceived'],
        rules: [{ level: 'Request', resources: [{ group: '', resources: ['pods'] }] }, { level: 'Metadata' }],
      }),
    );
    [server, hook] = await Promise.all([
      startTestServer({
        args: [`--audit-policy-file=${policy}`, `--audit-log-path=${log()}`, '--audit-log-mode=blocking-strict'],
      }),
      startWebhookServer(),
    ]);
    for (const [type, resources] of [
      ['mutating', ['pods', 'configmaps']],
      ['validating', ['secrets']],
    ] as const) {
      const webhook = {
        name: about.webhook,
        clientConfig: hook.clientConfig(),
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources }],
      };
      assert.equal(
        (
          await server.client.post(`/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`, {
            metadata: { name: 'audited' },
            webhooks: [webhook],
          })
        ).status,
        201,
      );
    }
  });
  after(async () => {
    await server.stop();
    await hook.close();
    rmSync(dir, { recursive: true });
  });

  /** Annotations of the creation of an object, without those of other parts. */
  async function annotationsOf(resource: string, object: object = {}): Promise<Record<string, string>> {
    assert.equal(
      (
        await server.client.post(`/api/v1/namespaces/default/${resource}`, {
          metadata: { generateName: 'x' },
          ...object,
        })
      ).status,
      201,
    );
    const { annotations } = JSON.parse(readFileSync(log(), 'utf8').trim().split('\n').at(-1)!) as {
      annotations: Record<string, string>;
    };
    return Object.fromEntries(Object.entries(annotations).filter(([key]) => /webhook|example/.test(key)));
  }

  it('say whether an object was changed, and how where the policy wants contents', async () => {
    const patch = [{ op: 'remove', path: '/spec/restartPolicy' }];
    hook.respond(() => patchResponse(...patch));
    assert.deepEqual(await annotationsOf('pods', { spec: { containers: [{ name: 'c', image: 'i' }] } }), {
      // Taken away, and brought back by the defaults: a change all the same.
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutated(true),
      'patch.webhook.admission.k8s.io/round_0_index_0': JSON.stringify({ ...about, patch, patchType: 'JSONPatch' }),
    });
    hook.respond(() => patchResponse({ op: 'add', path: '/data', value: { a: 'b' } }, { op: 'remove', path: '/kind' }));
    assert.deepEqual(await annotationsOf('configmaps'), {
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutated(true),
    });
    hook.respond(() => patchResponse({ op: 'test', path: '/kind', value: 'ConfigMap' }));
    assert.deepEqual(await annotationsOf('configmaps'), {
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutated(false),
    });
  });

  it('pass on what webhooks say under names that are names', async () => {
    hook.respond(() => ({ auditAnnotations: { why: 'so', 'a/b': 'two slashes', 'no name': 'blank' } }));
    assert.deepEqual(await annotationsOf('configmaps'), {
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutated(false),
      [`${about.webhook}/why`]: 'so',
    });
    assert.deepEqual(await annotationsOf('secrets'), { [`${about.webhook}/why`]: 'so' });
  });

  it('say that a call failed and the request went on', async () => {
    hook.misbehave((to) => to.writeHead(500).end());
    assert.deepEqual(await annotationsOf('configmaps'), {
      'failed-open.mutation.webhook.admission.k8s.io/round_0_index_0': about.webhook,
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutated(false),
    });
    assert.deepEqual(await annotationsOf('secrets'), {
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': about.webhook,
    });
  });
});

/** A slow webhook delays its own requests, and no others: not even writers of the same object. */
import assert from 'node:assert/strict';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';
import { answerJson } from '../../pkg/net/https-service-testing.ts';

describe('a slow admission webhook', () => {
  let server: TestServer;
  let hook: WebhookServer;
  /** Answers to what was asked so far. */
  let held: (() => void)[];
  let asked: () => void;
  let count = 0;
  const maps = '/api/v1/namespaces/default/configmaps';
  const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  // Labels before and after decide whether the webhook matches.
  const slowly = (data: object): object => ({ metadata: { labels: { slow: 'yes' } }, data });

  before(async () => {
    [server, hook] = await Promise.all([startTestServer(), startWebhookServer()]);
    const made = await server.client.post(configurations, {
      metadata: { name: 'slow' },
      webhooks: [
        {
          name: 'slow.example.com',
          clientConfig: hook.clientConfig(),
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 20,
          objectSelector: { matchLabels: { slow: 'yes' } },
          rules: [
            { operations: ['UPDATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
          ],
        },
      ],
    });
    assert.equal(made.status, 201);
  });
  beforeEach(async () => {
    held = [];
    asked = () => undefined;
    hook.reviews.length = 0;
    hold();
    count++;
    assert.equal(
      (await server.client.post(maps, { metadata: { name: `m${count}` }, data: { a: '0', b: '0' } })).status,
      201,
    );
  });
  after(async () => {
    await server.stop();
    await hook.close();
    assert.deepEqual(server.errors, []);
  });

  const path = (): string => `${maps}/m${count}`;
  const patch = (body: object): Promise<Answer> => server.client.patch(path(), 'merge', body);
  /** From now on answers wait for `answerAll`. */
  function hold(): void {
    hook.misbehave((response, { uid }) => {
      held.push(() =>
        answerJson(response, {
          kind: 'AdmissionReview',
          apiVersion: 'admission.k8s.io/v1',
          response: { uid, allowed: true },
        }),
      );
      asked();
    });
  }
  async function askedFor(count: number): Promise<void> {
    while (held.length < count)
      await new Promise<void>((resolve) => {
        asked = resolve;
      });
  }
  /** From now on answers come at once. */
  function answerAll(): void {
    hook.respond(() => undefined);
    for (const answer of held.splice(0)) answer();
  }

  it('lets other writers of the object pass, and sees the outcome', async () => {
    const slow = patch(slowly({ slow: 'x' }));
    await askedFor(1);
    const quick = await Promise.all([
      patch({ data: { b: '1' } }),
      patch({ data: { c: '2' } }),
      server.client.put(`${path()}?dryRun=All`, { metadata: { name: `m${count}` }, data: { d: '3' } }),
    ]);
    assert.deepEqual(
      quick.map(({ status }) => status),
      [200, 200, 200],
    );
    answerAll();
    const { status, json } = await slow;
    assert.deepEqual([status, json.data], [200, { a: '0', b: '1', c: '2', slow: 'x' }]);
    assert.deepEqual(
      hook.reviews.map(({ oldObject }) => oldObject.data),
      [
        { a: '0', b: '0' },
        { a: '0', b: '1', c: '2' },
      ],
    );
  });

  it('refuses an update of a version that is not the newest any more', async () => {
    const current = (await server.client.get(path())).json;
    const slow = server.client.put(path(), { ...current, metadata: { ...current.metadata, labels: { slow: 'yes' } } });
    await askedFor(1);
    assert.equal((await patch({ data: { b: '1' } })).status, 200);
    answerAll();
    const { status, json } = await slow;
    assert.deepEqual([status, json.reason], [409, 'Conflict']);
    assert.match(
      json.message,
      /the object has been modified; please apply your changes to the latest version and try again$/,
    );
  });

  it('deletes what it was last asked about', async () => {
    hook.respond(() => undefined);
    assert.equal((await patch(slowly({ b: '1' }))).status, 200);
    hold();
    const slow = server.client.delete(path());
    await askedFor(1);
    const quick = patch({ data: { b: '2' } });
    await askedFor(2);
    held.pop()!();
    assert.equal((await quick).status, 200);
    answerAll();
    assert.equal((await slow).status, 200);
    assert.deepEqual(
      hook.reviews.map(({ operation, oldObject }) => `${operation} ${oldObject.data.b}`),
      ['UPDATE 0', 'DELETE 1', 'UPDATE 1', 'DELETE 2'],
    );
    assert.equal((await server.client.get(path())).status, 404);
  });

  it('loses no change of many at once', async () => {
    const many = Array.from({ length: 50 }, (_, i) => patch(slowly({ [`k${i}`]: 'x' })));
    await askedFor(1);
    answerAll();
    for (const { status } of await Promise.all(many)) assert.equal(status, 200);
    assert.equal(Object.keys((await server.client.get(path())).json.data).length, 52);
  });
});

import assert from 'node:assert/strict';
import { answerJson, startHttpsService, type HttpsService } from '../../net/https-service-testing.ts';
import { WebhookClient } from '../../webhooks/webhook-client.ts';
import { asks, asksPath, person } from '../authorization-testing.ts';
import type { Authorizer } from '../authorizer.ts';
import { webhookAuthorizer, type WebhookAuthorizerSettings } from './authorizer.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';

const alice = { ...person('alice', 'staff'), uid: 'u1', extra: { team: ['a', 'b'] } };
const review = (status: object): object => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  spec: {},
  status,
});

describe('mode Webhook', () => {
  let service: HttpsService;
  let client: WebhookClient;
  let errors: unknown[];
  let nowMs: number;
  before(async () => {
    service = await startHttpsService((_request, response) =>
      answerJson(response, review({ allowed: true, reason: 'told so' })),
    );
  });
  beforeEach(() => {
    service.received.length = 0;
    errors = [];
    nowMs = 1000;
    const retry = { attempts: 2, initialMs: 1, factor: 1, jitter: 0 };
    client = new WebhookClient({
      certificates: new DeprecatedCertificates(),
      config: { server: new URL(`${service.url}/authorize`), ca: service.ca, credentials: {} },
      timeoutMs: 5000,
      retry,
    });
  });
  afterEach(() => client.close());
  after(() => service.close());
  const open = (more: Partial<WebhookAuthorizerSettings> = {}): Authorizer =>
    webhookAuthorizer({
      call: (document) => client.call(document),
      version: 'v1',
      allowedTtlMs: 300_000,
      otherTtlMs: 30_000,
      nowMs: () => nowMs,
      onError: (error) => errors.push(error),
      ...more,
    });
  const says = (status: object): void =>
    service.answerWith((_request, response) => answerJson(response, review(status)));

  it('sends the request in the configured version', async () => {
    says({ allowed: true, reason: 'told so' });
    assert.deepEqual(
      await open().authorize(asks(alice, 'get', 'pods/log', { namespace: 'ns', name: 'p', apiGroup: 'g' })),
      { decision: 'allow', reason: 'told so' },
    );
    service.answerWith((_request, response) =>
      answerJson(response, { ...review({ allowed: true }), apiVersion: 'authorization.k8s.io/v1beta1' }),
    );
    await open({ version: 'v1beta1' }).authorize(asksPath(person('bob', 'x'), 'get', '/metrics'));
    const [first, second] = service.received.map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      [first.kind, first.apiVersion, second.apiVersion],
      ['SubjectAccessReview', 'authorization.k8s.io/v1', 'authorization.k8s.io/v1beta1'],
    );
    assert.deepEqual(first.spec, {
      resourceAttributes: {
        namespace: 'ns',
        verb: 'get',
        group: 'g',
        version: 'v1',
        resource: 'pods',
        subresource: 'log',
        name: 'p',
      },
      user: 'alice',
      uid: 'u1',
      groups: ['staff'],
      extra: { team: ['a', 'b'] },
    });
    assert.deepEqual(second.spec, {
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
      user: 'bob',
      group: ['x'],
    });
  });

  it('caches allowing and other answers for separate times', async () => {
    const authorizer = open();
    const [yes, no] = [asks(alice, 'get', 'pods'), asks(alice, 'delete', 'pods')];
    says({ allowed: true });
    await authorizer.authorize(yes);
    says({ allowed: false, reason: 'never' });
    assert.deepEqual(await authorizer.authorize(no), { decision: 'no-opinion', reason: 'never' });
    nowMs += 29_999;
    assert.equal((await authorizer.authorize(no)).reason, 'never');
    assert.equal(service.received.length, 2);
    nowMs += 1;
    await authorizer.authorize(no);
    assert.equal((await authorizer.authorize(yes)).decision, 'allow');
    assert.equal(service.received.length, 3);
    nowMs += 300_000;
    assert.equal((await authorizer.authorize(yes)).decision, 'no-opinion');
    assert.equal(service.received.length, 4);
  });

  it('distinguishes users by every field', async () => {
    says({ allowed: true });
    const authorizer = open();
    for (const who of [
      person('a'),
      person('a', 'g'),
      person('a', 'h'),
      { ...person('a'), uid: '1' },
      { ...person('a'), extra: { k: ['v'] } },
    ])
      await authorizer.authorize(asks(who, 'get', 'pods'));
    assert.equal(service.received.length, 5);
    for (const last of ['a', 'b', 'a', 'b'])
      await authorizer.authorize(
        asks(person('a', ...Array.from({ length: 500 }, (_, i) => `group-${i}`), last), 'get', 'pods'),
      );
    assert.equal(service.received.length, 7);
  });

  it('caches nothing for a time of 0, and no long request', async () => {
    says({ allowed: true });
    const forgetful = open({ allowedTtlMs: 0 });
    for (let i = 0; i < 2; i++) await forgetful.authorize(asks(alice, 'get', 'pods'));
    const authorizer = open();
    for (let i = 0; i < 2; i++) await authorizer.authorize(asks(alice, 'get', 'pods', { name: 'x'.repeat(10_001) }));
    assert.equal(service.received.length, 4);
  });

  it('sends one review for equal requests at the same time', async () => {
    says({ allowed: true });
    const authorizer = open({ allowedTtlMs: 0 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => authorizer.authorize(asks(alice, 'get', 'pods'))),
    );
    assert.ok(answers.every(({ decision }) => decision === 'allow'));
    assert.equal(service.received.length, 1);
    service.answerWith((_request, response) => answerJson(response, {}, 400));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => authorizer.authorize(asks(alice, 'get', 'pods'))),
    );
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.deepEqual([service.received.length, errors.length], [2, 1]);
  });

  it('passes a denial on, also one together with an allowance', async () => {
    for (const allowed of [false, true]) {
      says({ allowed, denied: true, reason: 'out' });
      assert.deepEqual(await open().authorize(asks(alice, 'get', 'pods')), { decision: 'deny', reason: 'out' });
    }
  });

  it('fails where no answer is usable, and caches no failure', async () => {
    const authorizer = open();
    for (const answer of [
      review([]),
      { kind: 'Other', status: { allowed: true } },
      { apiVersion: 'authorization.k8s.io/v1beta1', status: { allowed: true } },
      [],
      'text',
    ]) {
      service.answerWith((_request, response) => answerJson(response, answer));
      await assert.rejects(async () => authorizer.authorize(asks(alice, 'get', 'pods')));
    }
    assert.equal(errors.length, 5);
    says({ allowed: true });
    assert.equal((await authorizer.authorize(asks(alice, 'get', 'pods'))).decision, 'allow');
  });

  it('accepts answers that do not name their type', async () => {
    service.answerWith((_request, response) => answerJson(response, { status: { allowed: true } }));
    assert.equal((await open().authorize(asks(alice, 'get', 'pods'))).decision, 'allow');
  });

  it('retries when the service fails', async () => {
    let calls = 0;
    service.answerWith((_request, response) =>
      ++calls === 1 ? answerJson(response, {}, 502) : answerJson(response, review({ allowed: true })),
    );
    assert.equal((await open().authorize(asks(alice, 'get', 'pods'))).decision, 'allow');
    service.answerWith((_request, response) => answerJson(response, {}, 500));
    await assert.rejects(async () => open().authorize(asks(alice, 'get', 'pods')), /500/);
    assert.equal(errors.length, 1);
  });

  it('cannot list rules', async () => {
    assert.deepEqual(await open().rulesFor(alice, 'ns'), {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    });
  });
});

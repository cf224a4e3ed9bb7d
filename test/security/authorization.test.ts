/**
 * What may not be done is not done in some other way: by an update that creates, by another kind of path, by failing
 * authorizers.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answerJson, startHttpsService, type HttpsService } from '../../pkg/net/https-service-testing.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { expectRefusal } from './expect-refusal.ts';

const forbidden = { code: 403, reason: 'Forbidden' };
const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;

describe('what is not allowed', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    await grant('updater', [{ verbs: ['update', 'patch'], resources: ['leases'], apiGroups: ['coordination.k8s.io'] }]);
    await grant('reader', [
      { verbs: ['get', 'list', 'watch'], resources: ['secrets'], apiGroups: [''], resourceNames: ['mine'] },
    ]);
    for (const name of ['mine', 'other'])
      await server.client.post('/api/v1/namespaces/default/secrets', { metadata: { name }, stringData: { a: name } });
    await server.running.server.storeOf(`rolebindings.${group}`).cacher.fresh();
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });
  async function grant(user: string, rules: object[]): Promise<void> {
    await server.client.post(`${rbac}/namespaces/default/roles`, { metadata: { name: user }, rules });
    const answer = await server.client.post(`${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: user },
      roleRef: { kind: 'Role', name: user, apiGroup: group },
      subjects: [{ kind: 'User', name: user, apiGroup: group }],
    });
    assert.equal(answer.status, 201);
  }
  const as = (user: string, method: string, url: string, body?: unknown, contentType?: string): Promise<Answer> =>
    server.client.send(method, url, {
      headers: { 'impersonate-user': user },
      body,
      ...(contentType === undefined ? {} : { contentType }),
    });

  it('is no create by way of an update', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l';
    expectRefusal(await as('updater', 'PUT', lease, { metadata: { name: 'l' }, spec: {} }), {
      ...forbidden,
      message: 'leases.coordination.k8s.io "l" is forbidden: ',
    });
    expectRefusal(await as('updater', 'PUT', `${lease}?dryRun=All`, { metadata: { name: 'l' }, spec: {} }), forbidden);
    expectRefusal(await as('updater', 'PATCH', lease, {}, 'application/merge-patch+json'), {
      code: 404,
      reason: 'NotFound',
    });
    assert.equal((await server.client.get(lease)).status, 404);
    const created = await server.client.put(lease, { metadata: { name: 'l' }, spec: {} });
    assert.equal(created.status, 201);
    assert.equal((await as('updater', 'PUT', lease, created.json)).status, 200);
  });

  it('is no list of more than what one may get', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    for (const selector of ['metadata.name=mine', 'metadata.name==mine', 'type=Opaque,metadata.name=mine']) {
      const { status, json } = await as('reader', 'GET', `${secrets}?fieldSelector=${encodeURIComponent(selector)}`);
      assert.deepEqual(
        [status, json.items.map((item: { metadata: { name: string } }) => item.metadata.name)],
        [200, ['mine']],
        selector,
      );
    }
    for (const query of [
      '',
      'fieldSelector=metadata.name%3Dother',
      'fieldSelector=metadata.name%21%3Dx',
      'fieldSelector=',
      'labelSelector=a',
      'fieldSelector=metadata.name%3Dother&fieldSelector=metadata.name%3Dmine',
      'fieldSelector=metadata.namespace%3Dmine',
      'fieldSelector=type%21%3Dmetadata.name%5C%3Dmine',
      'fieldSelector=type%21%3Dmetadata.name%3Dmine',
      'fieldSelector=metadata%5C.name%3Dmine',
      'labelSelector=metadata.name%3Dmine',
      'name=mine',
    ]) {
      expectRefusal(await as('reader', 'GET', `${secrets}?${query}`), forbidden);
      expectRefusal(await as('reader', 'DELETE', `${secrets}?${query}`), forbidden);
    }
    const both = await as(
      'reader',
      'GET',
      `${secrets}?fieldSelector=metadata.name%3Dmine&fieldSelector=metadata.name%3Dother`,
    );
    assert.deepEqual(
      both.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      ['mine'],
    );
    // Two names in one selector match no object.
    const none = await as('reader', 'GET', `${secrets}?fieldSelector=metadata.name%3Dmine%2Cmetadata.name%3Dother`);
    assert.deepEqual([none.status, none.json.items], [200, []]);
    const { json: page } = await server.client.get(`${secrets}?limit=1`);
    const continued = await as(
      'reader',
      'GET',
      `${secrets}?fieldSelector=metadata.name%3Dmine&limit=1&continue=${encodeURIComponent(page.metadata.continue as string)}`,
    );
    assert.ok(continued.status >= 400 || !continued.body.toString().includes('"other"'), continued.body.toString());
  });

  it('is no watch under another name', async () => {
    for (const url of [
      '/api/v1/namespaces/default/secrets?watch=1',
      '/api/v1/namespaces/default/secrets?watch',
      '/api/v1/namespaces/default/secrets?w%61tch=tru%65',
      '/api/v1/watch/namespaces/default/secrets',
      '/api/v1/watch/namespaces/default/secrets/other',
      '/api/v1/watch/secrets',
    ]) {
      expectRefusal(await as('reader', 'GET', url), forbidden);
    }
    await server.client.post('/api/v1/namespaces', { metadata: { name: 'kept' } });
    for (const method of ['DELETE', 'POST', 'PUT', 'PATCH'])
      assert.ok(
        (await server.client.send(method, '/api/v1/watch/namespaces/kept', { body: '{}' })).status >= 400,
        method,
      );
    assert.equal((await server.client.get('/api/v1/namespaces/kept')).json.status.phase, 'Active');
  });

  it('is answered without revealing what exists', async () => {
    const [known, unknown] = await Promise.all(
      ['other', 'nothing'].map((name) => as('reader', 'GET', `/api/v1/namespaces/default/secrets/${name}`)),
    );
    for (const answer of [known!, unknown!]) expectRefusal(answer, forbidden);
    assert.equal(known!.json.message.replaceAll('other', 'x'), unknown!.json.message.replaceAll('nothing', 'x'));
    for (const url of [
      '/api/v1/namespaces/none/pods',
      '/api/v1/namespaces/default/none',
      '/apis/none.example.com/v1/none',
    ])
      expectRefusal(await as('reader', 'GET', url), forbidden);
  });

  it('is refused before anything of the request is looked at', async () => {
    for (const body of ['{', '{"kind":"Pod"}', Buffer.alloc(100_000)])
      expectRefusal(await as('reader', 'POST', '/api/v1/namespaces/default/secrets', body), forbidden);
    expectRefusal(
      await as('reader', 'POST', '/api/v1/namespaces/default/secrets?dryRun=Some&fieldValidation=x', '{}'),
      forbidden,
    );
  });

  it('stays so for users with odd names', async () => {
    for (const user of [
      '__proto__',
      'constructor',
      'system:masters',
      'system:apiserver',
      'system:node:',
      '*',
      'hasOwnProperty',
    ])
      expectRefusal(await as(user, 'GET', '/api/v1/secrets'), forbidden);
  });
});

describe('an authorization webhook that fails', () => {
  let service: HttpsService;
  let server: TestServer;
  let dir: string;
  before(async () => {
    service = await startHttpsService((_request, response) => answerJson(response, {}, 403));
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-hook-'));
    const cluster = { server: service.url, 'certificate-authority-data': Buffer.from(service.ca).toString('base64') };
    writeFileSync(
      path.join(dir, 'hook'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    server = await startTestServer({
      args: ['--authorization-mode=Webhook,RBAC', `--authorization-webhook-config-file=${path.join(dir, 'hook')}`],
    });
  });
  after(async () => {
    await server.stop();
    await service.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const as = (user: string, url: string): Promise<Answer> =>
    server.client.send('GET', url, {
      headers: { 'impersonate-user': user, 'impersonate-group': 'system:authenticated' },
    });

  it('allows no request, and denies none that another mode allows', async () => {
    for (const answer of [{}, [], { kind: 'SubjectAccessReview', status: { allowed: 'true' } }]) {
      service.answerWith((_request, response) => answerJson(response, answer));
      assert.ok((await as('u', '/api/v1/pods')).status >= 400, JSON.stringify(answer));
      assert.equal((await as('u', '/apis')).status, 200);
    }
    service.answerWith((_request, response) => response.writeHead(302, { location: `${service.url}/allow` }).end());
    const refused = await as('w', '/api/v1/pods');
    expectRefusal(refused, { code: 500, reason: 'InternalError' });
    assert.ok(!refused.body.includes(String(service.port)), refused.body.toString());
    assert.equal((await server.client.get('/api/v1/pods')).status, 200);
  });

  it('may say no to what another mode allows', async () => {
    for (const [user, allowed] of [
      ['v', false],
      ['w', true],
    ] as const) {
      service.answerWith((_request, response) =>
        answerJson(response, { kind: 'SubjectAccessReview', status: { allowed, denied: true, reason: 'not today' } }),
      );
      expectRefusal(await as(user, '/apis'), {
        ...forbidden,
        message: `forbidden: User "${user}" cannot get path "/apis": not today`,
      });
    }
  });
});

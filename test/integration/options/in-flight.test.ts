import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answerJson, startHttpsService, type HttpsService } from '../../../pkg/net/https-service-testing.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { until } from '../../fixtures/until.ts';

const group = 'authorization.k8s.io/v1';

/**
 * Requests are held by a service that is asked whether they may; the one of the administrator's group is not counted.
 */
describe('--max-requests-inflight', () => {
  let dir: string;
  let server: TestServer;
  let service: HttpsService;
  let held: ServerResponse[];

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-in-flight-'));
    held = [];
    service = await startHttpsService(({ body }, response) => {
      const { resource } = JSON.parse(body).spec.resourceAttributes;
      if (resource === 'secrets') held.push(response);
      else answerJson(response, { apiVersion: group, kind: 'SubjectAccessReview', status: { allowed: true } });
    });
    const cluster = { server: service.url, 'certificate-authority-data': Buffer.from(service.ca).toString('base64') };
    const config = path.join(dir, 'service.json');
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 's', cluster }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }],
        'current-context': 'c',
      }),
    );
    writeFileSync(path.join(dir, 'tokens.csv'), 'secret,jane,1\n');
    server = await startTestServer({
      args: [
        '--authorization-mode=Webhook',
        `--authorization-webhook-config-file=${config}`,
        '--authorization-webhook-version=v1',
        `--token-auth-file=${path.join(dir, 'tokens.csv')}`,
        // With fairness both are one total, of which a user has a share.
        '--max-requests-inflight=2',
        '--max-mutating-requests-inflight=1',
        '--enable-priority-and-fairness=false',
      ],
    });
  });
  after(async () => {
    await server.stop();
    await service.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('refuses reads beyond it, and no writes', async () => {
    const headers = { authorization: 'Bearer secret' };
    const ask = (name: string) => server.client.get(`/api/v1/namespaces/default/secrets/${name}`, headers);
    const inFlight = [ask('one'), ask('two')];
    await until(() => held.length === 2, 'two requests under way');
    assert.equal((await ask('three')).status, 429);
    assert.equal((await server.client.get('/api/v1/namespaces/default/configmaps', headers)).status, 429);
    assert.equal(
      (
        await server.client.send('POST', '/api/v1/namespaces/default/configmaps', {
          headers,
          body: { metadata: { name: 'written' } },
        })
      ).status,
      201,
    );
    for (const response of held)
      answerJson(response, { apiVersion: group, kind: 'SubjectAccessReview', status: { allowed: true } });
    assert.deepEqual(
      (await Promise.all(inFlight)).map(({ status }) => status),
      [404, 404],
    );
    assert.equal((await server.client.get('/api/v1/namespaces/default/configmaps', headers)).status, 200);
  });
});

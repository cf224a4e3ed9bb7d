import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerJson, startHttpsService, type HttpsService } from '../../../pkg/net/https-service-testing.ts';
import { toYaml } from '../../../pkg/codec/yaml.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { whoAmI } from '../../fixtures/who-am-i.ts';

/**
 * How often services are called for authentication and authorization; odd answers are tested beside the authenticators.
 */
describe('Options of webhooks', () => {
  let dir: string;
  let server: TestServer;
  let service: HttpsService | undefined;

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-asked-'));
  });
  afterEach(async () => {
    await server.stop();
    await service?.close();
    service = undefined;
    rmSync(dir, { recursive: true, force: true });
  });

  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const start = async (...args: string[]): Promise<void> => {
    server = await startTestServer({ args });
  };

  /** A service that answers reviews with a status, and the file that names it. */
  async function startService(kind: string, group: string, status: (spec: any) => object): Promise<string> {
    service = await startHttpsService(({ body }, response) => {
      const review = JSON.parse(body);
      assert.match(review.apiVersion, new RegExp(`^${group}/v1`));
      answerJson(response, { apiVersion: review.apiVersion, kind, status: status(review.spec) });
    });
    const cluster = { server: service.url, 'certificate-authority-data': Buffer.from(service.ca).toString('base64') };
    return file(
      'service.yaml',
      toYaml({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 's', cluster }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'c', context: { cluster: 's', user: 'u' } }],
        'current-context': 'c',
      }),
    );
  }
  const versionsAsked = (): string[] => service!.received.map(({ body }) => JSON.parse(body).apiVersion as string);

  for (const [ttl, version, asked] of [
    ['2m', 'v1', ['authentication.k8s.io/v1']],
    ['0s', 'v1beta1', ['authentication.k8s.io/v1beta1', 'authentication.k8s.io/v1beta1']],
  ] as const) {
    it(`--authentication-token-webhook-cache-ttl=${ttl} and -version=${version}: two requests, ${asked.length} questions`, async () => {
      const config = await startService('TokenReview', 'authentication.k8s.io', (spec) =>
        spec.token === 'good' ? { authenticated: true, user: { username: 'webby' } } : { authenticated: false },
      );
      await start(
        '--authorization-mode=AlwaysAllow',
        `--authentication-token-webhook-config-file=${config}`,
        `--authentication-token-webhook-cache-ttl=${ttl}`,
        `--authentication-token-webhook-version=${version}`,
      );
      for (let i = 0; i < 2; i++) assert.equal((await whoAmI(server, { token: 'good' })).user?.username, 'webby');
      assert.deepEqual(versionsAsked(), asked);
    });
  }

  it('asks again in time although the clock is set back by an hour', async () => {
    const config = await startService('TokenReview', 'authentication.k8s.io', () => ({
      authenticated: true,
      user: { username: 'webby' },
    }));
    await start(
      '--authorization-mode=AlwaysAllow',
      `--authentication-token-webhook-config-file=${config}`,
      '--authentication-token-webhook-cache-ttl=1ms',
    );
    const systemNow = Date.now;
    try {
      await whoAmI(server, { token: 'good' });
      Date.now = () => systemNow() - 3_600_000;
      await sleep(10);
      await whoAmI(server, { token: 'good' });
    } finally {
      Date.now = systemNow;
    }
    assert.equal(service!.received.length, 2);
  });

  for (const [allowed, other, questions] of [
    ['5m', '0s', [1, 2]],
    ['0s', '30s', [2, 1]],
  ] as const) {
    it(`--authorization-webhook-cache-authorized-ttl=${allowed} and -unauthorized-ttl=${other}: ${questions.join(' and ')} questions of two requests each`, async () => {
      const config = await startService('SubjectAccessReview', 'authorization.k8s.io', (spec) => ({
        allowed: spec.resourceAttributes?.resource === 'configmaps',
      }));
      const tokens = file('tokens.csv', 'secret,jane,1\n');
      await start(
        '--authorization-mode=Webhook',
        `--authorization-webhook-config-file=${config}`,
        `--authorization-webhook-cache-authorized-ttl=${allowed}`,
        `--authorization-webhook-cache-unauthorized-ttl=${other}`,
        '--authorization-webhook-version=v1',
        `--token-auth-file=${tokens}`,
      );
      const ask = async (resource: string): Promise<number> => {
        const before = service!.received.length;
        for (let i = 0; i < 2; i++)
          assert.equal(
            (await server.client.get(`/api/v1/namespaces/default/${resource}`, { authorization: 'Bearer secret' }))
              .status,
            resource === 'configmaps' ? 200 : 403,
          );
        return service!.received.length - before;
      };
      assert.deepEqual([await ask('configmaps'), await ask('secrets')], questions);
      assert.deepEqual([...new Set(versionsAsked())], ['authorization.k8s.io/v1']);
    });
  }
});

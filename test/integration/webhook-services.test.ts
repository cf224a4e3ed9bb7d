/**
 * Webhooks behind services: how a service's name leads to a real HTTPS server, and what has to be right about its
 * certificate.
 */
import assert from 'node:assert/strict';
import { TestAuthority } from '../../pkg/net/certificates-testing.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const services = '/api/v1/namespaces/default/services';
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
/** An address of the loopback that is no other server's. */
const HOST = '127.0.0.9';

/** A server whose only webhook is behind the service `hook`. */
class Setting {
  readonly server: TestServer;
  private readonly hook: WebhookServer;

  constructor(server: TestServer, hook: WebhookServer) {
    this.server = server;
    this.hook = hook;
  }

  async register(port: number, ca = this.hook.ca): Promise<void> {
    const { client } = this.server;
    await client.delete(`${configurations}/w`);
    const made = await client.post(configurations, {
      metadata: { name: 'w' },
      webhooks: [
        {
          name: 'w.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Fail',
          clientConfig: {
            service: { namespace: 'default', name: 'hook', path: '/validate', port },
            caBundle: Buffer.from(ca).toString('base64'),
          },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        },
      ],
    });
    assert.equal(made.status, 201, made.body.toString());
  }

  create(): Promise<Answer> {
    return this.server.client.post(`${maps}?dryRun=All`, { metadata: { name: 'a' } });
  }

  async problem(): Promise<string> {
    const { status, json } = await this.create();
    assert.equal(status, 500);
    return json.message;
  }

  /** Endpoints as the server keeps them: its API takes none of the loopback. */
  async putEndpoints(name: string, ip: string, port: number): Promise<void> {
    const { codec, backend: store } = this.server.running.server.storeOf('endpoints');
    const object = {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { name, namespace: 'default' },
      subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
    };
    assert.ok(
      (await store.commit(`services/endpoints/default/${name}`, { expectRevision: 0, value: codec.encode(object) })).ok,
    );
  }
}

describe('an admission webhook behind a service', () => {
  let authority: TestAuthority;
  let hook: WebhookServer;
  let stranger: WebhookServer;

  before(async () => {
    authority = await TestAuthority.create();
    [hook, stranger] = await Promise.all([
      startWebhookServer({ authority, host: HOST, names: ['hook.default.svc'] }),
      startWebhookServer({ authority, host: HOST, names: ['other.default.svc', HOST] }),
    ]);
  });
  beforeEach(() => {
    hook.received.length = 0;
    hook.reviews.length = 0;
  });
  after(() => Promise.all([hook.close(), stranger.close()]));

  async function withServer(args: readonly string[], test: (setting: Setting) => Promise<void>): Promise<void> {
    const server = await startTestServer({ args });
    try {
      await test(new Setting(server, hook));
    } finally {
      await server.stop();
    }
    assert.deepEqual(server.errors, []);
  }

  /** What the webhook saw of the call: the name it was called by, whatever way led to it. */
  function assertCalled(port: number): void {
    assert.deepEqual(
      hook.received.map(({ serverName, headers, path }) => [serverName, headers.host, path]),
      [['hook.default.svc', port === 443 ? 'hook.default.svc' : `hook.default.svc:${port}`, '/validate?timeout=10s']],
    );
  }

  it('is called at an endpoint where calls go there', () =>
    withServer(['--enable-aggregator-routing'], async (setting) => {
      const made = await setting.server.client.post(services, {
        metadata: { name: 'hook' },
        spec: { ports: [{ name: 'https', port: 443, targetPort: 8443 }] },
      });
      assert.equal(made.status, 201);
      await setting.register(443);
      assert.match(
        await setting.problem(),
        /failed calling webhook "w\.example\.com": .*no endpoints available for service "hook"$/,
      );
      await setting.putEndpoints('hook', HOST, hook.port);
      assert.equal((await setting.create()).status, 201);
      assertCalled(443);
    }));

  it('is called at its cluster IP otherwise', () =>
    withServer(['--service-cluster-ip-range=127.0.0.0/24'], async (setting) => {
      const { client } = setting.server;
      assert.equal(
        (
          await client.post(services, {
            metadata: { name: 'hook' },
            spec: {
              clusterIP: HOST,
              ports: [{ port: hook.port }, { name: 'other', port: stranger.port }].map((port, i) => ({
                name: `p${i}`,
                ...port,
              })),
            },
          })
        ).status,
        201,
      );
      await setting.register(hook.port);
      assert.equal((await setting.create()).status, 201);
      assertCalled(hook.port);
      await setting.register(1);
      assert.match(
        await setting.problem(),
        /Post "https:\/\/hook\.default\.svc:1\/validate\?timeout=10s": no service port 1 found for service "hook"$/,
      );
      await setting.register(stranger.port);
      assert.match(
        await setting.problem(),
        /x509: (certificate is valid for .*, not|certificate is not valid for any names, but wanted to match) hook\.default\.svc$/,
      );
      await setting.register(hook.port, (await TestAuthority.create()).pem);
      assert.match(await setting.problem(), /x509: certificate signed by unknown authority$/);
      assert.equal(hook.reviews.length + stranger.reviews.length, 1, 'nobody else is told anything');
    }));

  it('is called at its external name where it has one', async () => {
    const local = await startWebhookServer({ authority, names: ['hook.default.svc'] });
    try {
      await withServer([], async (setting) => {
        assert.equal(
          (
            await setting.server.client.post(services, {
              metadata: { name: 'hook' },
              spec: { type: 'ExternalName', externalName: 'localhost' },
            })
          ).status,
          201,
        );
        await setting.register(local.port);
        assert.equal((await setting.create()).status, 201);
        assert.deepEqual(
          local.received.map(({ serverName }) => serverName),
          ['hook.default.svc'],
        );
      });
    } finally {
      await local.close();
    }
  });
});

/**
 * The credentials of the server for admission webhooks: users of `--admission-control-config-file`, by the name of the
 * host.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIENT_AUTH, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { startWebhookServer, type WebhookServer } from '../fixtures/webhook-server.ts';

describe('credentials for admission webhooks', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-webhook-users-'));
  const configurations = (type: string): string => `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;
  let server: TestServer;
  /** Refuses clients without a certificate. */
  let strict: WebhookServer;
  let open: WebhookServer;

  const file = (name: string, document: unknown): string => {
    writeFileSync(path.join(dir, name), JSON.stringify(document));
    return path.join(dir, name);
  };

  before(async () => {
    const authority = await TestAuthority.create();
    const names = ['*.team.svc', '*.plain.svc', '*.default.svc', '127.0.0.1'];
    [strict, open] = await Promise.all([
      startWebhookServer({ authority, names, clientCa: authority.pem }),
      startWebhookServer({ authority, names }),
    ]);
    const pair = await authority.sign({ subject: 'CN=apiserver', extendedKeyUsages: [CLIENT_AUTH] });
    writeFileSync(path.join(dir, 'token'), 'from a file\n');
    const data = (text: string): string => Buffer.from(text).toString('base64');
    const users = file('users.json', {
      apiVersion: 'v1',
      kind: 'Config',
      users: [
        {
          name: `guarded.default.svc:${strict.port}`,
          user: { 'client-certificate-data': data(pair.pem), 'client-key-data': data(pair.keyPem) },
        },
        { name: `*.team.svc:${open.port}`, user: { token: 'of the team' } },
        { name: `*.svc:${open.port}`, user: { username: 'binnacle', password: 'secret' } },
        { name: `127.0.0.1:${open.port}`, user: { tokenFile: 'token' } },
      ],
    });
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile: users,
    };
    const admission = file('admission.json', {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AdmissionConfiguration',
      plugins: [{ name: 'ValidatingAdmissionWebhook', configuration }],
    });
    server = await startTestServer({ args: [`--admission-control-config-file=${admission}`] });
    for (const namespace of ['team', 'plain'])
      await server.client.post('/api/v1/namespaces', { metadata: { name: namespace } });
    for (const [namespace, name] of [
      ['default', 'guarded'],
      ['default', 'unknown'],
      ['team', 'one'],
      ['plain', 'one'],
    ] as const) {
      const made = await server.client.post(`/api/v1/namespaces/${namespace}/services`, {
        metadata: { name },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      });
      assert.equal(made.status, 201, made.body.toString());
    }
  });
  beforeEach(() => {
    for (const hook of [strict, open]) hook.received.length = 0;
  });
  after(async () => {
    await server.stop();
    await Promise.all([strict.close(), open.close()]);
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(server.errors, []);
  });

  /** Has a webhook asked once. Gives the message where the request was refused. */
  async function ask(type: 'mutating' | 'validating', clientConfig: object): Promise<string | undefined> {
    const { client } = server;
    const webhook = {
      name: 'w.example.com',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { caBundle: open.clientConfig().caBundle, ...clientConfig },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    };
    const registered = await client.post(configurations(type), { metadata: { name: 'w' }, webhooks: [webhook] });
    assert.equal(registered.status, 201, registered.body.toString());
    const { status, json } = await client.post('/api/v1/namespaces/default/configmaps?dryRun=All', {
      metadata: { name: 'a' },
    });
    await client.delete(`${configurations(type)}/w`);
    return status === 201 ? undefined : json.message;
  }
  const service = (namespace: string, name: string, { port }: WebhookServer): object => ({
    service: { namespace, name, port },
  });

  it('are a certificate, a token, or a name and password, by exact name or by its end', async () => {
    const shown = async (clientConfig: object): Promise<string | undefined> => {
      assert.equal(await ask('validating', clientConfig), undefined);
      return open.received.at(-1)!.headers.authorization;
    };
    assert.equal(await shown(service('team', 'one', open)), 'Bearer of the team');
    assert.equal(
      await shown(service('plain', 'one', open)),
      `Basic ${Buffer.from('binnacle:secret').toString('base64')}`,
    );
    assert.equal(await shown({ url: `${open.url}/x` }), 'Bearer from a file');
    assert.equal(await ask('validating', service('default', 'guarded', strict)), undefined);
    assert.deepEqual(
      strict.received.map(({ clientSubject, headers }) => [clientSubject, headers.authorization]),
      [['CN=apiserver', undefined]],
    );
  });

  it('are sent to no other', async () => {
    assert.match(
      (await ask('validating', service('default', 'unknown', strict)))!,
      /^Internal error occurred: failed calling webhook "w\.example\.com": /,
    );
    assert.equal(strict.received.length, 0);
    // The other plugin of webhooks has a section of its own.
    assert.equal(await ask('mutating', service('team', 'one', open)), undefined);
    assert.equal(open.received.at(-1)!.headers.authorization, undefined);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestAuthority } from '../net/certificates-testing.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { startTestServer, type TestServer } from '../server/server-testing.ts';
import { publishAuthentication } from './extension-authentication.ts';

const WHERE = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

describe('publishAuthentication', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-extension-authentication-'));
  let api: TestServer;
  let [clients, proxies, others]: TestAuthority[] = [];
  before(async () => {
    [clients, proxies, others] = await Promise.all([
      TestAuthority.create(),
      TestAuthority.create(),
      TestAuthority.create(),
    ]);
    api = await startTestServer();
  });
  after(async () => {
    await api.stop();
    rmSync(dir, { recursive: true });
  });

  const file = (name: string, content: string): string => {
    writeFileSync(path.join(dir, name), content);
    return path.join(dir, name);
  };
  const publish = (nowMs: number, ...args: string[]) =>
    publishAuthentication(api.server.storeOf('configmaps'), parseOptions(apiServerOptions, 'up', args), nowMs);
  const data = async () => (await api.send('GET', WHERE)).body.data;

  it('says nothing where there is nothing to say', async () => {
    await publish(Date.now());
    assert.equal((await api.send('GET', WHERE)).status, 404);
  });

  it('says whom the server believes, and writes nothing twice', async () => {
    const args = [
      `--client-ca-file=${file('clients', clients!.pem)}`,
      `--requestheader-client-ca-file=${file('proxies', proxies!.pem)}`,
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-allowed-names=front',
    ];
    await publish(Date.now(), ...args);
    assert.deepEqual(await data(), {
      'client-ca-file': clients!.pem,
      'requestheader-client-ca-file': proxies!.pem,
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-allowed-names': '["front"]',
    });
    const version = (await api.send('GET', WHERE)).body.metadata.resourceVersion;
    await publish(Date.now(), ...args);
    assert.equal((await api.send('GET', WHERE)).body.metadata.resourceVersion, version);
  });

  it('adds to what other servers said, and takes out what has expired', async () => {
    await publish(Date.now(), `--client-ca-file=${file('others', others!.pem)}`);
    assert.equal((await data())['client-ca-file'], clients!.pem + others!.pem);
    await publish(Date.now() + 10 * 24 * 3600_000, `--client-ca-file=${file('others', others!.pem)}`);
    assert.equal((await data())['client-ca-file'], '');
  });

  it('replaces what cannot be read', async () => {
    await api.send(
      'PATCH',
      WHERE,
      { data: { 'client-ca-file': 'nonsense', 'requestheader-username-headers': '{' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await publish(
      Date.now(),
      `--client-ca-file=${path.join(dir, 'clients')}`,
      `--requestheader-client-ca-file=${path.join(dir, 'proxies')}`,
      '--requestheader-username-headers=X-User',
    );
    const { 'client-ca-file': bundle, 'requestheader-username-headers': names } = await data();
    assert.deepEqual([bundle, names], [clients!.pem, '["X-User"]']);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { writeKubeconfig } from './kubeconfig.ts';

const ca = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

describe('writeKubeconfig', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-kubeconfig-'));
    file = path.join(dir, 'kubeconfig');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('writes what a client library reads', () => {
    writeKubeconfig(file, { server: 'https://127.0.0.1:6443', ca, token: 'yes: "no"' });
    const config = new KubeConfig();
    config.loadFromString(readFileSync(file, 'utf8'));
    assert.equal(config.getCurrentCluster()?.server, 'https://127.0.0.1:6443');
    assert.equal(Buffer.from(config.getCurrentCluster()?.caData ?? '', 'base64').toString(), ca);
    assert.equal(config.getCurrentUser()?.token, 'yes: "no"');
    assert.equal(config.getCurrentCluster()?.skipTLSVerify ?? false, false);
  });

  it("is for its owner's eyes alone, also where a file was there before", () => {
    writeFileSync(file, 'older', { mode: 0o644 });
    writeKubeconfig(file, { server: 'https://x', ca, token: 't' });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!readFileSync(file, 'utf8').includes('older'));
  });

  it('keeps what its owner added, and renews its own', () => {
    writeKubeconfig(file, { server: 'https://old', ca, token: 'old' });
    const config = new KubeConfig();
    config.loadFromFile(file);
    config.users.push({ name: 'jane', token: 'j' });
    config.contexts.push({ name: 'jane', cluster: 'binnacle', user: 'jane' });
    config.contexts[0] = { ...config.contexts[0]!, namespace: 'team' };
    config.setCurrentContext('jane');
    writeFileSync(file, config.exportConfig());
    for (const server of ['https://new', 'https://newest']) writeKubeconfig(file, { server, ca, token: 'new' });
    const after = new KubeConfig();
    after.loadFromFile(file);
    assert.deepEqual(
      after.contexts.map(({ name, user, namespace }) => [name, user, namespace]),
      [
        ['binnacle', 'binnacle-admin', 'team'],
        ['jane', 'jane', undefined],
      ],
    );
    assert.deepEqual(
      after.users.map(({ name, token }) => [name, token]),
      [
        ['binnacle-admin', 'new'],
        ['jane', 'j'],
      ],
    );
    assert.deepEqual(
      after.clusters.map(({ server }) => server),
      ['https://newest'],
    );
    assert.equal(after.getCurrentContext(), 'jane');
  });

  it('writes a whole one over what is no such file, or names a context that is gone', () => {
    for (const before of [
      '[]',
      'a: [',
      'contexts: [{}]\n',
      'clusters: 5\nusers: [5, null]\ncontexts: [{}]\ncurrent-context: gone\n',
    ]) {
      writeFileSync(file, before);
      writeKubeconfig(file, { server: 'https://x', ca, token: 't' });
      const config = new KubeConfig();
      config.loadFromFile(file);
      assert.deepEqual(
        [config.getCurrentContext(), config.getCurrentUser()?.token, config.getCurrentCluster()?.server],
        ['binnacle', 't', 'https://x'],
        before,
      );
    }
  });
});

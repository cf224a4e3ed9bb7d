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

  it('is for its owner\'s eyes alone, also where a file was there before', () => {
    writeFileSync(file, 'older', { mode: 0o644 });
    writeKubeconfig(file, { server: 'https://x', ca, token: 't' });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!readFileSync(file, 'utf8').includes('older'));
  });
});

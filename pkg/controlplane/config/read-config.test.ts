import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiServerOptions } from '../../options/api-server-options.ts';
import type { Component } from '../../options/option.ts';
import { OptionsError } from '../../options/options-error.ts';
import { readOptions } from '../../options/parse-options.ts';
import { readConfig } from './read-config.ts';
import type { ServerConfig } from './server-config.ts';

describe('readConfig', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-config-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const read = (component: Component, ...args: string[]): ServerConfig =>
    readConfig(readOptions(apiServerOptions, component, args), { dir });

  function problems(...args: string[]): readonly string[] {
    try {
      read('apiserver', ...args);
    } catch (error) {
      assert.ok(error instanceof OptionsError, String(error));
      return error.problems.map((line) => line.replaceAll(`${dir}/`, ''));
    }
    return [];
  }

  it('reports what is wrong with options, names of the API and files in one list, each once, in the order of the parts', () => {
    const bad = file('bad', 'x\n');
    const admission = file('admission.yaml', 'plugins: 1\n');
    const found = problems(
      '--nope',
      '--event-ttl=soon',
      '--runtime-config=nothing/v1=true',
      '--watch-cache-sizes=things#5',
      '--store-servers=http://127.0.0.1:1',
      '--store-servers-overrides=/things#http://127.0.0.1:1',
      `--store-cafile=${bad}`,
      `--experimental-encryption-provider-config=${bad}`,
      `--tls-cert-file=${bad}`,
      `--tls-private-key-file=${bad}`,
      `--token-file=${file('token', ' ')}`,
      `--client-ca-file=${bad}`,
      `--token-auth-file=${bad}`,
      '--authorization-mode=ABAC,Webhook',
      `--authorization-policy-file=${bad}`,
      `--authorization-webhook-config-file=${bad}`,
      `--admission-control-config-file=${admission}`,
      '--enable-admission-plugins=EventRateLimit',
      `--audit-policy-file=${bad}`,
      `--audit-webhook-config-file=${bad}`,
      `--nodeagent-client-key=${bad}`,
      `--nodeagent-client-certificate=${bad}`,
    );
    assert.equal(new Set(found).size, found.length, found.join('\n'));
    assert.deepEqual(
      [...new Set(found.map((line) => line.replace(/^(--[^=]*).*/, '$1')))],
      [
        'unknown option --nope',
        '--event-ttl',
        '--runtime-config',
        '--watch-cache-sizes',
        '--store-servers-overrides',
        '--store-cafile',
        '--experimental-encryption-provider-config',
        '--tls-cert-file',
        '--token-file',
        '--token-auth-file',
        '--client-ca-file',
        '--authorization-policy-file',
        '--authorization-webhook-config-file',
        '--admission-control-config-file',
        '--audit-policy-file',
        '--audit-webhook-config-file',
        '--nodeagent-client-certificate',
        '--nodeagent-client-key',
      ],
    );
  });

  it('reports once, by the rules between options, that a mode lacks its file', () => {
    assert.deepEqual(problems('--store-servers=http://127.0.0.1:1', '--authorization-mode=ABAC,Webhook'), [
      '--authorization-mode=ABAC,Webhook: the mode ABAC needs --authorization-policy-file',
      '--authorization-mode=ABAC,Webhook: the mode Webhook needs --authorization-webhook-config-file',
    ]);
  });

  it('is data that can be copied, and writes nothing', () => {
    const config = read('up', '--secure-port=0');
    structuredClone({ ...config, authentication: undefined });
    assert.deepEqual(readdirSync(dir), []);
    assert.deepEqual(
      [config.component, config.server.port, config.stores.main, config.tls.dir],
      ['up', 0, { backend: 'embedded', dataDir: path.join(dir, 'store'), durable: true }, path.join(dir, 'pki')],
    );
    const { stores } = readConfig(readOptions(apiServerOptions, 'up', []), { dir, ephemeral: true });
    assert.deepEqual(stores.main, { backend: 'embedded', dataDir: path.join(dir, 'store'), durable: false });
  });

  it('gives up a key of its own for tokens of service accounts, unless one is given', () => {
    const own = path.join(dir, 'pki', 'service-account.key');
    const up = read('up');
    assert.equal(up.authentication.serviceAccounts.ownKeyFile, own);
    assert.deepEqual(up.admission.settings.ServiceAccount, { tokensFromSecrets: false });
    assert.equal(up.server.flags.get('service-account-signing-key-file'), own);
    const apiserver = read('apiserver', '--store-servers=http://127.0.0.1:1');
    assert.equal(apiserver.authentication.serviceAccounts.ownKeyFile, undefined);
    assert.deepEqual(apiserver.admission.settings.ServiceAccount, { tokensFromSecrets: true });
  });
});

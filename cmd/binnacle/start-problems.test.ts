import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from './run-command-testing.ts';

/**
 * A start that is refused says everything that is wrong: with flags, the configuration file, rules between options,
 * names of the API, and the content of files.
 */
describe('binnacle apiserver, refused', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-refused-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };

  async function problems(...args: string[]): Promise<string[]> {
    const { status, stdout, stderr } = await runCommand(
      ['apiserver', `--cert-dir=${path.join(dir, 'certs')}`, ...args],
      { cwd: dir },
    );
    assert.deepEqual([status, stdout.toString()], [2, ''], stderr);
    assert.ok(!readdirSync(dir).includes('certs'), 'something was written');
    return stderr
      .trim()
      .split('\n')
      .map((line) => line.replace('binnacle apiserver: ', '').replaceAll(dir, ''));
  }

  it('reports every source of options together', async () => {
    const config = file(
      'config.yaml',
      'event-ttl: soon\nnope: 1\nauthorization-mode: [RBAC, Nobody]\nruntime-config: {nothing/v1: false}\n',
    );
    const tokens = file('tokens.csv', 'only-a-token\n');
    const token = file('token', '\n');
    const found = await problems(
      `--config=${config}`,
      `--token-auth-file=${tokens}`,
      '--store-servers=http://127.0.0.1:1',
      '--storage-versions=apps/v7',
      '--store-servers-overrides=/things#http://127.0.0.1:1',
      '--watch-cache-sizes=things#5',
      '--client-ca-file=absent.pem',
      '--oidc-issuer-url=https://issuer.example',
      '--feature-gates=Nonsense=true',
      '--secure-port=70000',
      '--watch-cache-sizes=pods',
      `--token-file=${token}`,
    );
    const rules = found.filter((line) => !line.startsWith('--token-auth-file='));
    assert.deepEqual(rules.sort(), [
      '--authorization-mode=Nobody: must be one of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
      '--client-ca-file=absent.pem: there is no such file',
      '--config=/config.yaml: unknown option nope',
      '--event-ttl=soon: must be a duration such as 30s or 5m0s',
      '--feature-gates=Nonsense=true: no such feature: Nonsense',
      '--oidc-issuer-url=https://issuer.example: needs --oidc-client-id',
      '--runtime-config=nothing/v1=false: no such version: nothing/v1',
      '--secure-port=70000: must be a port from 0 to 65535',
      '--storage-versions=apps/v7: no resource of the group apps has the version apps/v7',
      '--store-servers-overrides=/things#http://127.0.0.1:1: no such resource: /things',
      '--token-file=/token: holds no token',
      '--watch-cache-sizes=pods: must be resource[.group]#size, such as deployments.apps#500',
      '--watch-cache-sizes=things#5: no such resource: things',
    ]);
    assert.equal(found.length, rules.length + 1, found.join('\n'));
  }).timeout(30_000);

  it('reports rules between options', async () => {
    const some = file('some.pem', 'x');
    assert.deepEqual(
      (
        await problems(
          `--tls-cert-file=${some}`,
          `--service-account-signing-key-file=${some}`,
          '--authorization-mode=ABAC',
          '--audit-log-maxsize=',
          '--apiserver-count=0',
          '--feature-gates=TokenRequest=false',
        )
      )
        .filter((line) => !line.includes('=/some.pem: holds'))
        .sort(),
      [
        '--apiserver-count=0: must be above 0',
        '--audit-log-maxsize: must be a whole number',
        '--authorization-mode=ABAC: the mode ABAC needs --authorization-policy-file',
        '--service-account-signing-key-file=/some.pem: needs --service-account-issuer',
        '--service-account-signing-key-file=/some.pem: needs --service-account-key-file',
        '--service-account-signing-key-file=/some.pem: needs the feature TokenRequest, which --feature-gates turns off',
        '--store-servers: the storage backend etcd3 needs the URL of a server',
        '--tls-cert-file=/some.pem: needs --tls-private-key-file',
      ],
    );
  }).timeout(30_000);
});

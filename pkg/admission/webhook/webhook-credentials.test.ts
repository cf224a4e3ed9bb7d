import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiServerOptions } from '../../options/api-server-options.ts';
import { parseOptions } from '../../options/parse-options.ts';
import { credentialsFor, webhookCredentials } from './webhook-credentials.ts';

describe('webhookCredentials', () => {
  let dir: string;
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const options = (...args: string[]) =>
    parseOptions(apiServerOptions, 'apiserver', ['--store-servers=http://127.0.0.1:1', ...args]);
  const section = (kubeConfigFile: string): object => ({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile,
  });
  /** Users whose token is their name. */
  const users = (...names: string[]): object =>
    section(
      file(
        'users',
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          users: names.map((name) => ({ name, user: { token: name } })),
        }),
      ),
    );

  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-credentials-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('are those of the name that fits best', () => {
    const credentials = webhookCredentials(
      users('a.example.com', 'a.example.com:8443', '*.example.com', '*.com:8443', '*.svc', 'hook.team.svc:443'),
      options(),
    );
    const cases: [host: string, port: number, expected: string | undefined][] = [
      ['a.example.com', 443, 'a.example.com'],
      ['a.example.com', 8443, 'a.example.com:8443'],
      ['b.example.com', 443, '*.example.com'],
      ['c.b.example.com', 443, '*.example.com'],
      ['b.example.com', 8443, '*.com:8443'],
      ['example.com', 8443, '*.com:8443'],
      ['b.example.com', 9443, undefined],
      ['example.com', 443, undefined],
      ['com', 443, undefined],
      ['hook.team.svc', 443, 'hook.team.svc:443'],
      ['other.team.svc', 443, '*.svc'],
      ['other.team.svc', 8443, undefined],
    ];
    for (const [host, port, expected] of cases)
      assert.equal(credentialsFor(credentials, host, port).token, expected, `${host}:${port}`);
  });

  it("are the server's own certificate where the host is not listed", () => {
    const own = options(
      `--proxy-client-cert-file=${file('own.crt', 'own certificate')}`,
      `--proxy-client-key-file=${file('own.key', 'own key')}`,
    );
    assert.deepEqual(credentialsFor(webhookCredentials(undefined, own), 'a', 443), {
      certificate: 'own certificate',
      key: 'own key',
    });
    const credentials = webhookCredentials(users('a'), own);
    assert.deepEqual(
      [credentialsFor(credentials, 'a', 443), credentialsFor(credentials, 'b', 443).certificate],
      [{ token: 'a' }, 'own certificate'],
    );
    assert.deepEqual(credentialsFor(webhookCredentials(undefined, options()), 'a', 443), {});
  });

  it('need a file that can be read', () => {
    assert.throws(() => webhookCredentials(section('users'), options()), {
      message: 'kubeConfigFile must be an absolute file path, got "users"',
    });
    assert.throws(
      () => webhookCredentials(section(path.join(dir, 'none')), options()),
      /the file cannot be read: ENOENT/,
    );
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestAuthority } from '../net/certificates-testing.ts';
import { ClusterConfigError, readClientCredentials, readClusterConfig } from './cluster-config.ts';

describe('readClusterConfig', () => {
  let dir: string;
  let authority: TestAuthority;
  let client: TestAuthority;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-cluster-config-'));
    authority = await TestAuthority.create();
    client = await authority.sign({ subject: 'CN=client' });
    writeFileSync(path.join(dir, 'ca.pem'), authority.pem);
    writeFileSync(path.join(dir, 'client.pem'), client.pem);
    writeFileSync(path.join(dir, 'client-key.pem'), client.keyPem);
    writeFileSync(path.join(dir, 'other-key.pem'), authority.keyPem);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  interface Parts {
    cluster?: Record<string, unknown>;
    user?: Record<string, unknown>;
    rest?: Record<string, unknown>;
  }

  function write({ cluster = {}, user = {}, rest = {} }: Parts): string {
    const file = path.join(dir, 'config');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'x',
        clusters: [{ name: 'c', cluster: { server: 'https://hook.example:8443/authn', ...cluster } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        ...rest,
      }),
    );
    return file;
  }

  function problemsOf(parts: Parts): readonly string[] {
    try {
      readClusterConfig(write(parts));
    } catch (error) {
      assert(error instanceof ClusterConfigError);
      return error.problems;
    }
    return [];
  }

  it('reads files beside it and data within it', () => {
    const read = readClusterConfig(
      write({
        cluster: { 'certificate-authority': 'ca.pem', 'tls-server-name': 'hook.internal' },
        user: { 'client-certificate': 'client.pem', 'client-key-data': Buffer.from(client.keyPem).toString('base64') },
      }),
    );
    assert.equal(read.server.href, 'https://hook.example:8443/authn');
    assert.equal(read.ca, authority.pem);
    assert.equal(read.serverName, 'hook.internal');
    assert.deepEqual(read.credentials, { certificate: client.pem, key: client.keyPem });
  });

  it('prefers data to a file', () => {
    const read = readClusterConfig(
      write({
        cluster: {
          'certificate-authority': 'no-such-file',
          'certificate-authority-data': Buffer.from(authority.pem).toString('base64'),
        },
      }),
    );
    assert.equal(read.ca, authority.pem);
  });

  it('reads tokens, token files and passwords', () => {
    assert.deepEqual(readClusterConfig(write({ user: { token: 't' } })).credentials, { token: 't' });
    assert.deepEqual(readClusterConfig(write({ user: { tokenFile: 'token' } })).credentials, {
      tokenFile: path.join(dir, 'token'),
    });
    assert.deepEqual(readClusterConfig(write({ user: { username: 'n', password: 'p' } })).credentials, {
      username: 'n',
      password: 'p',
    });
  });

  it('tells every problem at once', () => {
    const problems = problemsOf({
      cluster: { server: 'ftp://x', 'certificate-authority': 'no-such-file' },
      user: {
        'client-certificate': 'client.pem',
        'client-key': 'other-key.pem',
        token: 't',
        username: 'n',
        exec: { command: 'login' },
      },
    });
    assert.deepEqual(problems, [
      'user "u": exec is not supported',
      'user "u": more than one authentication method found; found [token basicAuth], only one is allowed',
      'user "u": client-key is no PEM private key, or not that of client-certificate',
      'cluster "c": server must be a URL that begins with https:// or http://',
      `cluster "c": unable to read certificate-authority ${path.join(dir, 'no-such-file')}: ENOENT`,
    ]);
  });

  it('refuses what cannot be used', () => {
    assert.deepEqual(problemsOf({ rest: { 'current-context': 'y' } }), ['context "y" does not exist']);
    assert.deepEqual(problemsOf({ rest: { 'current-context': '' } }), ['current-context is not set']);
    assert.deepEqual(problemsOf({ rest: { clusters: [] } }), ['cluster "c" of context "x" does not exist']);
    assert.deepEqual(problemsOf({ rest: { users: [{ user: {} }] } }), [
      'users: every entry must have a name and a user',
      'user "u" of context "x" does not exist',
    ]);
    assert.deepEqual(problemsOf({ rest: { contexts: {} } }), ['contexts must be a list', 'context "x" does not exist']);
    assert.deepEqual(problemsOf({ rest: { kind: 'Pod' } }), ['apiVersion must be "v1" and kind must be "Config"']);
    assert.deepEqual(problemsOf({ cluster: { server: '' } }), ['cluster "c": no server found']);
    assert.deepEqual(problemsOf({ cluster: { server: 'https://u:secret@x' } }), [
      'cluster "c": server must not hold a user name or password',
    ]);
    assert.deepEqual(problemsOf({ cluster: { 'certificate-authority-data': '!' } }), [
      'cluster "c": certificate-authority-data must be base64',
    ]);
    assert.deepEqual(problemsOf({ cluster: { 'certificate-authority': 'client-key.pem' } }), [
      'cluster "c": certificate-authority must hold PEM certificates',
    ]);
    assert.deepEqual(problemsOf({ cluster: { 'certificate-authority': 'ca.pem', 'insecure-skip-tls-verify': true } }), [
      'cluster "c": specifying a root certificates file with the insecure flag is not allowed',
    ]);
    assert.deepEqual(problemsOf({ user: { token: 5 } }), ['user "u": token must be a string']);
  });

  it('never tells a credential that stands in a file it cannot parse', () => {
    const file = path.join(dir, 'broken');
    writeFileSync(file, 'users:\n- name: u\n  user: {token: "s3cret\n');
    assert.throws(
      () => readClusterConfig(file),
      (error: Error) =>
        !error.message.includes('s3cret') &&
        error.message.startsWith(`${file}: invalid configuration: the file is no YAML or JSON: line`),
    );
    assert.throws(() => readClusterConfig(path.join(dir, 'absent')), /the file cannot be read: ENOENT/);
  });

  it('reads users alone, keys such as __proto__ included', () => {
    const file = path.join(dir, 'users');
    writeFileSync(
      file,
      '{"users": [{"name": "*.example.com", "user": {"token": "t"}}, {"name": "__proto__", "user": {"username": "n"}}]}',
    );
    assert.deepEqual(
      [...readClientCredentials(file)],
      [
        ['*.example.com', { token: 't' }],
        ['__proto__', { username: 'n', password: '' }],
      ],
    );
  });
});

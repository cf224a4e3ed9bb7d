import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ClusterConfigError, readClientConfig } from './cluster-config.ts';
import { inClusterConfig } from './in-cluster-config.ts';

describe('readClientConfig', () => {
  let dir: string;
  before(() => (dir = mkdtempSync(path.join(tmpdir(), 'binnacle-client-config-'))));
  after(() => rmSync(dir, { recursive: true, force: true }));

  function write(user: object, cluster: object = {}): string {
    const file = path.join(dir, 'config');
    const document = {
      'current-context': 'x',
      clusters: [{ name: 'c', cluster: { server: 'https://api.example', ...cluster } }],
      users: [
        { name: 'u', user },
        { name: 'v', user: { token: 'v' } },
      ],
      contexts: [
        { name: 'x', context: { cluster: 'c', user: 'u' } },
        { name: 'y', context: { cluster: 'c', user: 'v' } },
      ],
    };
    writeFileSync(file, JSON.stringify(document));
    return file;
  }

  function problemsOf(user: object, cluster?: object): readonly string[] {
    try {
      readClientConfig(write(user, cluster));
    } catch (error) {
      assert(error instanceof ClusterConfigError);
      return error.problems;
    }
    return [];
  }

  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'login', interactiveMode: 'Never' };

  it('reads the context that is named', () => {
    assert.deepEqual(readClientConfig(write({ token: 'u' })).credentials, { token: 'u' });
    assert.deepEqual(readClientConfig(write({ token: 'u' }), 'y').credentials, { token: 'v' });
    assert.throws(() => readClientConfig(write({}), 'z'), /context "z" does not exist/);
  });

  it('reads plugins, users to impersonate and a proxy', () => {
    const user = {
      exec: {
        ...exec,
        command: './bin/login',
        args: ['-x'],
        env: [{ name: 'A', value: 'b' }],
        provideClusterInfo: true,
        installHint: 'h',
      },
      as: 'bob',
      'as-uid': '7',
      'as-groups': ['g'],
      'as-user-extra': { k: ['v'] },
    };
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }];
    const read = readClientConfig(write(user, { 'proxy-url': 'http://proxy:3128', extensions }));
    assert.equal(read.proxy?.href, 'http://proxy:3128/');
    assert.deepEqual(read.credentials, {
      exec: {
        apiVersion: exec.apiVersion,
        command: path.join(dir, 'bin/login'),
        args: ['-x'],
        env: { A: 'b' },
        installHint: 'h',
        provideClusterInfo: true,
        clusterExtension: { audience: 'a' },
      },
      impersonate: { name: 'bob', uid: '7', groups: ['g'], extra: { k: ['v'] } },
    });
  });

  it('refuses what cannot be used', () => {
    const within = 'user "u": exec: ';
    assert.deepEqual(problemsOf({ exec: { ...exec, apiVersion: 'client.authentication.k8s.io/v1alpha1' } }), [
      `${within}apiVersion must be one of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1`,
    ]);
    assert.deepEqual(problemsOf({ exec: { apiVersion: exec.apiVersion } }), [
      `${within}command must be specified to use exec authentication plugin`,
      `${within}interactiveMode must be specified to use exec authentication plugin`,
    ]);
    assert.equal(problemsOf({ exec: { ...exec, interactiveMode: 'Always' } }).length, 1);
    assert.equal(problemsOf({ exec: { ...exec, interactiveMode: 'Perhaps' } }).length, 1);
    assert.deepEqual(problemsOf({ exec: { ...exec, args: [1], env: [{ value: 'x' }] } }), [
      `${within}args must be a list of strings`,
      `${within}every entry of env must have a name and a value`,
    ]);
    assert.deepEqual(problemsOf({ exec: 'login' }), ['user "u": exec must be an object']);
    assert.deepEqual(problemsOf({ 'as-groups': ['g'] }), [
      'user "u": requesting uid, groups or user-extra without impersonating a user',
    ]);
    assert.deepEqual(problemsOf({ 'auth-provider': { name: 'x' } }), ['user "u": auth-provider is not supported']);
    assert.deepEqual(problemsOf({}, { 'proxy-url': 'ftp://proxy' }), [
      'cluster "c": proxy-url must be a URL that begins with https://, http:// or socks5://',
    ]);
  });
});

describe('inClusterConfig', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'binnacle-in-cluster-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('has the service of the API server and the files of the service account', () => {
    writeFileSync(path.join(dir, 'token'), 't');
    writeFileSync(path.join(dir, 'ca.crt'), 'PEM');
    const at = (host: string) =>
      inClusterConfig({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '6443' }, dir);
    const { server, ...rest } = at('10.0.0.1');
    assert.equal(server.href, 'https://10.0.0.1:6443/');
    assert.deepEqual(rest, {
      ca: 'PEM',
      caFile: path.join(dir, 'ca.crt'),
      credentials: { tokenFile: path.join(dir, 'token') },
    });
    assert.equal(at('fd00::1').server.href, 'https://[fd00::1]:6443/');
  });

  it('says what is missing outside of a pod', () => {
    assert.throws(() => inClusterConfig({}, dir), /KUBERNETES_SERVICE_HOST and .* are not set.*token does not exist/);
  });
});

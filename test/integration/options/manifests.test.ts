import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../pkg/controlplane/config/read-config.ts';
import { startControlPlane, type ControlPlane } from '../../../pkg/controlplane/start-control-plane.ts';
import { apiServerOptions } from '../../../pkg/options/api-server-options.ts';
import type { Component } from '../../../pkg/options/option.ts';
import { readOptions } from '../../../pkg/options/parse-options.ts';
import { Logger } from '../../../pkg/logging/logger.ts';
import { ApiClient } from '../../fixtures/api-client.ts';
import { makeCertificates, type CertificateFiles } from '../../fixtures/certificates.ts';
import { EtcdServer } from '../../fixtures/etcd-server.ts';

const workerFile = fileURLToPath(new URL('../../../pkg/workers/worker.ts', import.meta.url));

describe('A start from the flags of an existing manifest', () => {
  let dir: string;
  let etcd: EtcdServer;
  let running: ControlPlane | undefined;
  let log: string;
  let files: CertificateFiles;
  let key: string;

  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-manifest-'));
    files = await makeCertificates(dir, 'serving');
    key = path.join(dir, 'sa.key');
    writeFileSync(
      key,
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
    );
    const client = { cert: files.certFile, key: files.keyFile, clientCa: files.caFile };
    etcd = await EtcdServer.start({ tls: client });
    log = '';
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await etcd.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(component: Component, args: readonly string[]): Promise<ApiClient> {
    const read = readOptions(apiServerOptions, component, [...args, `--cert-dir=${path.join(dir, 'certs')}`]);
    const config = readConfig(read, { dir });
    // A port of the manifest could be taken on this machine.
    const free = { ...config, server: { ...config.server, port: 0 } };
    running = await startControlPlane(free, {
      workerFile,
      logger: Logger.open({
        verbosity: 0,
        destination: {
          write: (line) => {
            log += line;
          },
        },
      }),
    });
    return new ApiClient(running.url, running.token);
  }

  const etcdFlags = (): string[] => [
    `--etcd-servers=${etcd.url}`,
    `--etcd-cafile=${files.caFile}`,
    `--etcd-certfile=${files.certFile}`,
    `--etcd-keyfile=${files.keyFile}`,
  ];
  const requestHeader = (): string[] => [
    '--requestheader-allowed-names=front-proxy-client',
    `--requestheader-client-ca-file=${files.caFile}`,
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    `--proxy-client-cert-file=${files.certFile}`,
    `--proxy-client-key-file=${files.keyFile}`,
  ];
  const common = (): string[] => [
    '--advertise-address=10.1.2.3',
    '--allow-privileged=true',
    '--authorization-mode=Node,RBAC',
    `--client-ca-file=${files.caFile}`,
    '--enable-bootstrap-token-auth=true',
    ...etcdFlags(),
    ...requestHeader(),
    `--kubelet-client-certificate=${files.certFile}`,
    `--kubelet-client-key=${files.keyFile}`,
    '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
    '--secure-port=6443',
    `--service-account-key-file=${key}`,
    '--service-cluster-ip-range=10.96.0.0/12',
    `--tls-cert-file=${files.certFile}`,
    `--tls-private-key-file=${files.keyFile}`,
  ];

  async function looksRight(client: ApiClient): Promise<void> {
    assert.equal((await client.get('/readyz')).status, 200);
    assert.equal((await client.get('/api/v1/namespaces/default/services/kubernetes')).json.spec.clusterIP, '10.96.0.1');
    // The certificate and the authority are those of the files, and anonymous requests are recognized.
    const anonymous = new ApiClient(running!.url, '');
    assert.equal((await anonymous.send('GET', '/api/v1/secrets', { headers: { authorization: '' } })).status, 403);
    const served = await new Promise<string>((resolve, reject) => {
      https
        .get(`${running!.url}/version`, { rejectUnauthorized: false, headers: { connection: 'close' } }, (response) => {
          resolve(String((response.socket as TLSSocket).getPeerCertificate().subject.CN));
          response.resume();
        })
        .on('error', reject);
    });
    assert.equal(served, 'serving');
    for (const one of [client, anonymous]) one.close();
  }

  it('of release 1.11, as an installer of the time wrote it', async () => {
    const client = await start('apiserver', [
      ...common(),
      '--disable-admission-plugins=PersistentVolumeLabel',
      '--enable-admission-plugins=NodeRestriction',
      '--insecure-port=0',
    ]);
    await looksRight(client);
    assert.match(log, /--insecure-port does nothing/);
    assert.doesNotMatch(log, /ANYONE/);
  }).timeout(60_000);

  it('of release 1.25, as an installer of the time wrote it', async () => {
    const client = await start('apiserver', [
      ...common(),
      '--enable-admission-plugins=NodeRestriction',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-signing-key-file=${key}`,
      '--v=0',
    ]);
    const token = await client
      .post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
      .then(() => client.post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} }));
    assert.equal(token.status, 201, token.body.toString());
    await looksRight(client);
  }).timeout(60_000);

  it('--token-file is the credential of an administrator', async () => {
    const file = path.join(dir, 'token');
    writeFileSync(file, 'the-token\n');
    const client = await start('apiserver', [...etcdFlags(), '--authorization-mode=RBAC', `--token-file=${file}`]);
    assert.equal(client.token, 'the-token');
    assert.equal((await client.get('/api/v1/secrets')).status, 200);
    client.close();
  });

  it('with the defaults of the document says plainly that anyone may do anything', async () => {
    const client = await start('apiserver', etcdFlags());
    const anonymous = new ApiClient(running!.url, '');
    assert.equal((await anonymous.send('GET', '/api/v1/namespaces', { headers: { authorization: '' } })).status, 200);
    const line = JSON.parse(log.split('\n').find((text) => text.includes('ANYONE'))!);
    assert.deepEqual([line.level, line.option], ['warn', 'authorization-mode']);
    for (const one of [client, anonymous]) one.close();
  }).timeout(60_000);
});

describe('binnacle up', () => {
  it('allows only its administrator, restricts nodes, and signs tokens with a separate key', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-up-'));
    const config = readConfig(readOptions(apiServerOptions, 'up', ['--secure-port=0']), { dir });
    let log = '';
    const running = await startControlPlane(config, {
      workerFile,
      logger: Logger.open({
        verbosity: 0,
        destination: {
          write: (line) => {
            log += line;
          },
        },
      }),
    });
    const admin = new ApiClient(running.url, running.token);
    try {
      const status = async (headers: Record<string, string>, where = '/api/v1/secrets'): Promise<number> =>
        (await admin.send('GET', where, { headers })).status;
      assert.deepEqual(
        [await status({}), await status({ authorization: '' }), await status({ authorization: 'Bearer nonsense' })],
        [200, 403, 401],
      );
      const node = { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' };
      assert.equal(await status(node, '/api/v1/namespaces/default/secrets/not-of-its-pods'), 403);
      const other = await admin.send('POST', '/api/v1/nodes', { headers: node, body: { metadata: { name: 'n2' } } });
      assert.match(other.json.message, /node "n1" is not allowed to modify node "n2"/);
      assert.equal(
        (await admin.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })).status,
        201,
      );
      const token = (await admin.post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} })).json
        .status.token as string;
      assert.equal((await admin.send('GET', '/apis', { headers: { authorization: `Bearer ${token}` } })).status, 200);
      assert.doesNotMatch(log, /ANYONE/);
    } finally {
      admin.close();
      await running.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

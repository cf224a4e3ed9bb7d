import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps } from '../../api/core/tokens.ts';
import { CLIENT_AUTH, TestAuthority } from '../../net/certificates-testing.ts';
import { answerJson, type HttpsService, startHttpsService } from '../../net/https-service-testing.ts';
import { readClientConfig } from '../cluster-config.ts';
import { ConnectionError } from './client.ts';
import { RestClient } from './rest-client.ts';
import { RotatingFile } from './rotating-file.ts';

const name = { namespace: 'n', name: 'a' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: name };
const MINUTE_MS = 60_000;

describe('credentials in files', () => {
  let authority: TestAuthority;
  let service: HttpsService;
  let dir: string;
  let nowMs: number;
  let client: RestClient | undefined;

  before(async () => {
    authority = await TestAuthority.create();
  });
  beforeEach(async () => {
    nowMs = 0;
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-rotation-'));
    service = await startHttpsService((_request, response) => answerJson(response, object), {
      authority,
      clientCa: authority.pem,
    });
    write('ca.crt', authority.pem);
  });
  afterEach(async () => {
    client?.close();
    await service.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const write = (file: string, text: string): void => writeFileSync(path.join(dir, file), text);
  async function writePair(user: string): Promise<void> {
    const { pem, keyPem } = await authority.sign({ subject: `CN=${user}`, extendedKeyUsages: [CLIENT_AUTH] });
    write('client.crt', pem);
    write('client.key', keyPem);
  }
  /** A client by a cluster-config whose cluster and user name files beside it. */
  function open(user: object): RestClient {
    const cluster = { server: service.url, 'certificate-authority': 'ca.crt' };
    const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
    const document = { clusters: [{ name: 'c', cluster }], users: [{ name: 'u', user }], contexts };
    write('config', JSON.stringify({ ...document, 'current-context': 'x' }));
    client = new RestClient(readClientConfig(path.join(dir, 'config')), { nowMs: () => nowMs });
    return client;
  }
  const subjects = (): (string | undefined)[] => service.received.map(({ clientSubject }) => clientSubject);

  it('show a new client certificate on new connections, and end those with the old one', async () => {
    await writePair('one');
    const { get, watch } = open({ 'client-certificate': 'client.crt', 'client-key': 'client.key' });
    await get.call(client, configMaps, name);
    const events = watch.call(client, configMaps)[Symbol.asyncIterator]();
    service.answerWith((request, response) => {
      if (request.path.includes('watch'))
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      else answerJson(response, object);
    });
    const ended = assert.rejects(events.next(), ConnectionError);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await writePair('two');
    await get.call(client, configMaps, name);
    nowMs += MINUTE_MS;
    await get.call(client, configMaps, name);
    await ended;
    assert.deepEqual(subjects(), ['CN=one', 'CN=one', 'CN=one', 'CN=two']);
    const ports = service.received.map(({ clientPort }) => clientPort);
    assert.notEqual(ports.at(-1), ports.at(-2));
  });

  it('keep the old certificate while only one of its files is new', async () => {
    await writePair('one');
    const opened = open({ 'client-certificate': 'client.crt', 'client-key': 'client.key' });
    const key = readFileSync(path.join(dir, 'client.key'), 'utf8');
    await writePair('two');
    const newKey = readFileSync(path.join(dir, 'client.key'), 'utf8');
    write('client.key', key);
    nowMs += MINUTE_MS;
    await opened.get(configMaps, name);
    write('client.key', newKey);
    await opened.get(configMaps, name);
    assert.deepEqual(subjects(), ['CN=one', 'CN=two']);
  });

  it('trust a new authority', async () => {
    await writePair('one');
    const opened = open({ 'client-certificate': 'client.crt', 'client-key': 'client.key' });
    await opened.get(configMaps, name);
    const other = await TestAuthority.create('CN=other');
    const { port } = service;
    await service.close();
    service = await startHttpsService((_request, response) => answerJson(response, object), { authority: other, port });
    await assert.rejects(opened.get(configMaps, name), ConnectionError);
    write('ca.crt', authority.pem + other.pem);
    nowMs += MINUTE_MS;
    await opened.get(configMaps, name);
    assert.equal(service.received.length, 1);
  });

  it('ask a plugin again after a 401, once for all requests that were rejected', async () => {
    await service.close();
    service = await startHttpsService((_request, response) => answerJson(response, object), { authority });
    const runs = path.join(dir, 'runs');
    write(
      'plugin.cjs',
      `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(runs)}, 'x');
const { apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const status = { token: 't' + fs.readFileSync(${JSON.stringify(runs)}).length };
console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion, status }));`,
    );
    const apiVersion = 'client.authentication.k8s.io/v1';
    const args = [path.join(dir, 'plugin.cjs')];
    const opened = open({ exec: { apiVersion, command: process.execPath, args, interactiveMode: 'Never' } });
    await opened.get(configMaps, name);
    service.answerWith((request, response) => {
      const isOld = request.headers.authorization === 'Bearer t1';
      // The second of them is answered when new credentials are there already.
      setTimeout(
        () => answerJson(response, isOld ? {} : object, isOld ? 401 : 200),
        request.path.endsWith('b') ? 300 : 0,
      );
    });
    const late = assert.rejects(opened.get(configMaps, { namespace: 'n', name: 'b' }), { code: 401 });
    await assert.rejects(opened.get(configMaps, name), { code: 401 });
    await opened.get(configMaps, name);
    await late;
    await opened.get(configMaps, name);
    const shown = service.received.map(({ headers }) => headers.authorization);
    assert.deepEqual(shown.toSorted(), ['Bearer t1', 'Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2']);
    assert.equal(readFileSync(runs, 'utf8'), 'xx');
  });
});

describe('RotatingFile', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-rotating-file-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  it('keeps what it read while the file is away', async () => {
    let nowMs = 0;
    const file = path.join(dir, 'token');
    const token = new RotatingFile(file, undefined, () => nowMs);
    await assert.rejects(token.current(), { code: 'ENOENT' });
    writeFileSync(file, 'one');
    assert.equal(await token.current(), 'one');
    rmSync(file);
    nowMs += MINUTE_MS;
    assert.equal(await token.current(), 'one');
    writeFileSync(file, 'two');
    assert.equal(await token.current(), 'one');
    token.expire();
    assert.equal(await token.current(), 'two');
  });
});

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVER_AUTH, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { readTlsConfig } from '../../pkg/controlplane/config/tls-config.ts';
import { apiServerOptions } from '../../pkg/options/api-server-options.ts';
import { OptionsError } from '../../pkg/options/options-error.ts';
import { parseOptions } from '../../pkg/options/parse-options.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** The TLS of the secure port, as clients see it. */
describe('the secure port', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-serving-'));
  let authority: TestAuthority;
  let server: TestServer;
  let log: string[];
  const open = new Set<tls.TLSSocket>();
  /** Otherwise a server that stops waits for them. */
  const closeAll = (): void => {
    for (const socket of open) socket.destroy();
  };

  before(async () => {
    authority = await TestAuthority.create();
  });
  afterEach(async () => {
    closeAll();
    await server?.stop();
    assert.deepEqual(server?.errors ?? [], []);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const start = async (...args: string[]): Promise<void> => {
    log = [];
    server = await startTestServer({ args, onLog: (line) => log.push(line) });
  };
  const file = (name: string): string => path.join(dir, name);

  /** Writes a pair for the names; gives the paths as the option takes them. */
  async function pair(name: string, names: readonly string[]): Promise<string> {
    const made = await authority.sign({ subject: `CN=${name}`, names, extendedKeyUsages: [SERVER_AUTH] });
    writeFileSync(file(`${name}.crt`), made.pem);
    writeFileSync(file(`${name}.key`), made.keyPem);
    return `${file(`${name}.crt`)},${file(`${name}.key`)}`;
  }

  function connect(options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect(
        { port: Number(server.client.url.port), host: '127.0.0.1', rejectUnauthorized: false, ...options },
        () => resolve(socket),
      );
      socket.on('error', reject);
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
  }

  /** The common name that the server shows to who asks for `servername`. */
  async function shown(servername?: string): Promise<string> {
    const socket = await connect({ ALPNProtocols: ['h2'], ...(servername === undefined ? {} : { servername }) });
    const { subject } = new X509Certificate(socket.getPeerX509Certificate()!.raw);
    assert.equal(socket.alpnProtocol, 'h2');
    socket.destroy();
    return subject.replace('CN=', '');
  }

  it('tells who speaks HTTP without TLS what is wrong', async () => {
    await start();
    const [response] = (await once(get(`http://${server.client.url.host}/api`), 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 400);
    assert.equal(await text(response), 'Client sent an HTTP request to an HTTPS server.\n');
  });

  it('shows each name the pair that fits it best', async () => {
    const main = (await pair('main', ['main.test'])).split(',');
    const named = [
      (await pair('wild', ['unused.test'])) + ':*.example.com',
      (await pair('exact', ['unused.test'])) + ':api.example.com,*.two.test',
      await pair('extracted', ['deep.example.com', 'api.example.com', '*.own.test']),
      await pair('second', ['deep.example.com']),
    ];
    await start(
      `--tls-cert-file=${main[0]}`,
      `--tls-private-key-file=${main[1]}`,
      ...named.map((item) => `--tls-sni-cert-key=${item}`),
    );
    const wanted = {
      'other.test': 'main',
      'x.example.com': 'wild',
      'api.example.com': 'exact',
      'API.Example.COM': 'exact',
      'a.two.test': 'exact',
      'deep.example.com': 'extracted',
      'x.own.test': 'extracted',
      'a.b.own.test': 'main',
    };
    for (const [name, common] of Object.entries(wanted)) assert.equal(await shown(name), common, name);
    assert.equal(await shown(), 'main');
  });

  it('uses changed files for new connections, keeps old ones, and stays with what it had where they are broken', async () => {
    const [certFile, keyFile] = (await pair('first', ['first.test'])).split(',') as [string, string];
    const named = await pair('named', ['named.test']);
    await start(`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`, `--tls-sni-cert-key=${named}`);
    const stays = await connect({ ALPNProtocols: ['http/1.1'] });
    writeFileSync(certFile, 'broken');
    for (const deadline = Date.now() + 15_000; !log.some((line) => line.includes('cannot be used'));) {
      assert.ok(Date.now() < deadline, 'the broken file was not noticed');
      await sleep(50);
    }
    assert.equal(await shown(), 'first');
    const next = await authority.sign({ subject: 'CN=next', names: ['first.test'], extendedKeyUsages: [SERVER_AUTH] });
    writeFileSync(keyFile, next.keyPem);
    writeFileSync(certFile, next.pem);
    const other = await authority.sign({
      subject: 'CN=renamed',
      names: ['renamed.test'],
      extendedKeyUsages: [SERVER_AUTH],
    });
    writeFileSync(file('named.key'), other.keyPem);
    writeFileSync(file('named.crt'), other.pem);
    for (
      const deadline = Date.now() + 15_000;
      (await shown()) !== 'next' || (await shown('renamed.test')) !== 'renamed';
    ) {
      assert.ok(Date.now() < deadline, 'the new files are not used');
      await sleep(50);
    }
    assert.equal(await shown('named.test'), 'next');
    stays.write('GET /version HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    let text = '';
    for await (const part of stays) text += String(part);
    assert.match(text, /^HTTP\/1\.1 (200|401|403) /);
  });

  it('makes a pair of its own where none is given, and keeps it in --cert-dir', async () => {
    const dirs = `--cert-dir=${file('certs')}`;
    const fingerprint = async (): Promise<string> => {
      const socket = await connect();
      const { fingerprint256 } = socket.getPeerX509Certificate()!;
      closeAll();
      return fingerprint256;
    };
    const cluster = ['--advertise-address=192.0.2.77', '--service-cluster-ip-range=10.77.0.0/16'];
    await start(dirs, ...cluster);
    const first = await fingerprint();
    const made = new X509Certificate(readFileSync(file('certs/apiserver.crt')));
    assert.equal(made.fingerprint256, first);
    for (const address of ['192.0.2.77', '10.77.0.1', '127.0.0.1']) assert.equal(made.checkIP(address), address);
    assert.equal(statSync(file('certs/apiserver.key')).mode & 0o777, 0o600);
    await server.stop();
    await start(dirs, ...cluster);
    assert.equal(await fingerprint(), first);
    await server.stop();
    await start(dirs, '--advertise-address=192.0.2.78');
    assert.notEqual(await fingerprint(), first);
    const renewed = new X509Certificate(readFileSync(file('certs/apiserver.crt')));
    for (const address of ['192.0.2.78', '10.0.0.1', '192.0.2.77', '127.0.0.1'])
      assert.equal(renewed.checkIP(address), address);
    await server.stop();
    const [certFile, keyFile] = (await pair('given', ['given.test'])).split(',') as [string, string];
    await start(`--cert-dir=${file('unused')}`, `--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`);
    assert.equal(await shown(), 'given');
    assert.equal(existsSync(file('unused')), false);
  });

  it('speaks no version below --tls-min-version', async () => {
    const old: tls.ConnectionOptions = { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' };
    await start();
    for (const maxVersion of ['TLSv1', 'TLSv1.1'] as const)
      await assert.rejects(connect({ ...old, maxVersion }), /alert|protocol/);
    assert.equal((await connect({ maxVersion: 'TLSv1.2' })).getProtocol(), 'TLSv1.2');
    closeAll();
    await server.stop();
    await start('--tls-min-version=VersionTLS13');
    await assert.rejects(connect({ maxVersion: 'TLSv1.2' }), /alert|protocol/);
    assert.equal((await connect()).getProtocol(), 'TLSv1.3');
    closeAll();
    await server.stop();
    await start('--tls-min-version=VersionTLS10');
    for (const maxVersion of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const)
      assert.equal((await connect({ ...old, maxVersion })).getProtocol(), maxVersion);
  });

  it('offers only the suites of --tls-cipher-suites', async () => {
    await start('--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256');
    assert.equal((await connect({ maxVersion: 'TLSv1.2' })).getCipher().name, 'ECDHE-ECDSA-AES256-GCM-SHA384');
    assert.equal((await connect()).getCipher().name, 'TLS_AES_128_GCM_SHA256');
    await assert.rejects(
      connect({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }),
      /alert|handshake/,
    );
    await assert.rejects(connect({ minVersion: 'TLSv1.3', ciphers: 'TLS_AES_256_GCM_SHA384' }), /alert|handshake/);
  });

  it('answers clients that close their side behind their request', async () => {
    await start();
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = await connect({ ALPNProtocols: ['http/1.1'] });
        socket.end('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
        return (await text(socket)).split('\r\n')[0];
      }),
    );
    assert.deepEqual(new Set(answers), new Set(['HTTP/1.1 200 OK']));
  });

  it('is at every address of the machine where --bind-address is empty, over IPv6 as well', async () => {
    await start('--bind-address=', '--v=3');
    const addresses = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .map(({ address }) => address)
      .filter((address) => !address.startsWith('fe80:'));
    assert.ok(addresses.includes('127.0.0.1'));
    for (const address of addresses) {
      const socket = await connect({ host: address, ALPNProtocols: ['http/1.1'] });
      socket.end('GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      let text = '';
      for await (const part of socket) text += String(part);
      assert.match(text, /^HTTP\/1\.1 200 /, address);
    }
    // Clients over IPv4 are shown with their own addresses.
    assert.ok(
      log.some((line) => JSON.parse(line).source === '127.0.0.1'),
      'an address of IPv4 is not told as one',
    );
    assert.match(server.running.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  });

  it('is at an address of IPv6 alone where --bind-address names one', async function () {
    if (!Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))) this.skip();
    await start('--bind-address=::1');
    assert.match(server.running.url, /^https:\/\/\[::1\]:\d+$/);
    (await connect({ host: '::1' })).destroy();
    await assert.rejects(connect(), { code: 'ECONNREFUSED' });
  });

  it('is not started with pairs that cannot be served', async () => {
    const [certFile, keyFile] = (await pair('good', ['good.test'])).split(',') as [string, string];
    const [, foreign] = (await pair('foreign', ['good.test'])).split(',') as [string, string];
    const problems = (...args: string[]): readonly string[] => {
      try {
        readTlsConfig(parseOptions(apiServerOptions, 'up', args), '');
      } catch (error) {
        assert.ok(error instanceof OptionsError);
        return error.problems;
      }
      return [];
    };
    assert.deepEqual(problems(`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`), []);
    assert.match(
      problems(`--tls-cert-file=${certFile}`, `--tls-private-key-file=${foreign}`).join(),
      /tls-cert-file.*is not the private key of the certificate/,
    );
    assert.match(
      problems(`--tls-sni-cert-key=${certFile},${file('absent')}`).join(),
      /tls-sni-cert-key.*there is no such file/,
    );
    assert.match(
      problems(`--tls-sni-cert-key=${keyFile},${keyFile}:a.test`).join(),
      /tls-sni-cert-key.*holds no PEM certificate/,
    );
  });
});

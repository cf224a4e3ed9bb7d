import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, Socket, type AddressInfo, type Server } from 'node:net';
import { CLIENT_AUTH, TestAuthority } from '../../net/certificates-testing.ts';
import { startHttpsService, type HttpsService } from '../../net/https-service-testing.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { Backend } from './backend.ts';
import { DialError } from './dial-error.ts';
import { dial } from './dial.ts';
import type { Network } from './network.ts';

/** A network whose names have these addresses, and whose addresses lead to 127.0.0.1, nowhere, or to a black hole. */
class Places implements Network {
  readonly dialled: string[] = [];
  readonly resolved: string[] = [];
  private readonly names: ReadonlyMap<string, readonly string[]>;
  private readonly dead: ReadonlySet<string>;
  private readonly silent: ReadonlySet<string>;

  constructor(
    names: Record<string, readonly string[]> = {},
    dead: readonly string[] = [],
    silent: readonly string[] = [],
  ) {
    this.names = new Map(Object.entries(names));
    [this.dead, this.silent] = [new Set(dead), new Set(silent)];
  }

  async resolve(name: string): Promise<readonly string[]> {
    this.resolved.push(name);
    const addresses = this.names.get(name);
    if (addresses === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return addresses;
  }

  connect(address: string, port: number): Socket {
    this.dialled.push(address);
    if (this.silent.has(address)) return new Socket();
    return connect(this.dead.has(address) ? 1 : port, '127.0.0.1');
  }
}

const failed =
  (message: string) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof DialError, String(error));
    assert.equal(error.message, message);
    return true;
  };
const notAllowed = (error: unknown): boolean =>
  error instanceof StatusError && error.code === 400 && error.message === 'address not allowed';

describe('dial', () => {
  let server: Server;
  let port: number;
  const to = (host: string, more: Partial<Backend> = {}): Backend => ({
    scheme: 'http',
    host,
    port,
    isTrusted: false,
    dialTimeoutMs: 5000,
    ...more,
  });
  const accepted: Socket[] = [];

  before(async () => {
    server = createServer((socket) => void accepted.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    for (const socket of accepted) socket.destroy();
    server.close();
  });

  it('connects to an address, or to the first address of a name that answers', async () => {
    const network = new Places({ 'a.test': ['10.0.0.1', '10.0.0.2', '10.0.0.3'] }, ['10.0.0.1']);
    (await dial(network, to('10.0.0.9'))).destroy();
    (await dial(network, to('a.test'))).destroy();
    assert.deepEqual([network.dialled, network.resolved], [['10.0.0.9', '10.0.0.1', '10.0.0.2'], ['a.test']]);
  });

  it('reports the first failure where nothing answers, and tries no more than four addresses', async () => {
    const addresses = Array.from({ length: 9 }, (_, i) => `10.0.0.${i}`);
    const network = new Places({ 'a.test': addresses }, addresses);
    await assert.rejects(dial(network, to('a.test')), failed(`dial tcp 10.0.0.0:${port}: connect: connection refused`));
    assert.equal(network.dialled.length, 4);
    await assert.rejects(dial(network, to('none.test')), failed('dial tcp: lookup none.test: no such host'));
    await assert.rejects(
      dial(new Places({ 'a.test': [] }), to('a.test')),
      failed('dial tcp: lookup a.test: no such host'),
    );
  });

  it('refuses addresses that clients may not name, before anything is dialled', async () => {
    const network = new Places({
      'mixed.test': ['10.0.0.1', '127.0.0.1'],
      'link.test': ['169.254.169.254'],
      'odd.test': ['10.0.0.1', 'fe80::1%eth0'],
    });
    for (const host of [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '169.254.169.254',
      'fe80::1',
      'mixed.test',
      'link.test',
      'odd.test',
    ])
      await assert.rejects(dial(network, to(host)), notAllowed, host);
    assert.deepEqual(network.dialled, []);
    (await dial(network, to('mixed.test', { isTrusted: true }))).destroy();
    (await dial(network, to('127.0.0.1', { isTrusted: true }))).destroy();
  });

  it('dials exactly the addresses that it checked', async () => {
    let asked = 0;
    const network = new Places();
    network.resolve = async () => (++asked === 1 ? ['10.0.0.1'] : ['127.0.0.1']);
    (await dial(network, to('rebinding.test'))).destroy();
    assert.deepEqual([asked, network.dialled], [1, ['10.0.0.1']]);
  });

  it('gives up in time', async () => {
    const network = new Places({}, [], ['10.0.0.1']);
    await assert.rejects(
      dial(network, to('10.0.0.1', { dialTimeoutMs: 1 })),
      failed(`dial tcp 10.0.0.1:${port}: i/o timeout`),
    );
    // Accepts connections and sends nothing.
    await assert.rejects(
      dial(network, to('10.0.0.2', { scheme: 'https', dialTimeoutMs: 50 })),
      failed('net/http: TLS handshake timeout'),
    );
  });

  it('takes no port for one that is none', async () => {
    for (const odd of [0, -1, 65_536, Number.NaN])
      await assert.rejects(
        dial(new Places(), to('10.0.0.1', { port: odd })),
        failed(`dial tcp: address ${odd}: invalid port`),
      );
  });

  describe('with TLS', () => {
    let authority: TestAuthority;
    let service: HttpsService;
    const network = new Places({ 'agent.test': ['10.0.0.1'], 'other.test': ['10.0.0.1'] });
    const secure = (host: string, tls: Backend['tls'] | undefined, at = service): Backend =>
      to(host, { scheme: 'https', port: at.port, ...(tls === undefined ? {} : { tls }) });

    /** Sends a request on the connection; returns the service's view of it. */
    async function request(backend: Backend) {
      const socket = await dial(network, backend);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      await once(socket.resume(), 'close');
      return service.received.at(-1)!;
    }

    before(async () => {
      authority = await TestAuthority.create();
      service = await startHttpsService((_, response) => void response.end('ok'), {
        authority,
        names: ['agent.test', '10.0.0.7'],
        clientCa: authority.pem,
      });
    });
    after(() => service.close());

    it('verifies who the backend is, and shows who this server is', async () => {
      const pair = await authority.sign({ subject: 'CN=apiserver', extendedKeyUsages: [CLIENT_AUTH] });
      const tls = { ca: authority.pem, certificate: pair.pem, key: pair.keyPem };
      for (const [host, serverName] of [
        ['agent.test', 'agent.test'],
        ['10.0.0.7', undefined],
      ] as const) {
        const seen = await request(secure(host, tls));
        assert.deepEqual([seen.clientSubject, seen.serverName], ['CN=apiserver', serverName]);
      }
      await assert.rejects(
        dial(network, secure('other.test', tls)),
        failed('x509: certificate is not valid for the name of the host'),
      );
      await assert.rejects(
        dial(network, secure('10.0.0.1', tls)),
        failed('x509: certificate is not valid for the name of the host'),
      );
      await assert.rejects(
        dial(network, secure('agent.test', { ...tls, ca: (await TestAuthority.create('CN=other')).pem })),
        failed('x509: certificate signed by unknown authority'),
      );
    });

    it('does not verify without an authority', async () => {
      const pair = await authority.sign({ subject: 'CN=apiserver', extendedKeyUsages: [CLIENT_AUTH] });
      for (const host of ['other.test', '10.0.0.1'])
        assert.equal(
          (await request(secure(host, { certificate: pair.pem, key: pair.keyPem }))).clientSubject,
          'CN=apiserver',
        );
    });

    it('reports a backend that does not use TLS', async () => {
      const plain = createServer(
        (socket) => void socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      ).listen(0, '127.0.0.1');
      await once(plain, 'listening');
      try {
        await assert.rejects(
          dial(network, to('10.0.0.1', { scheme: 'https', port: (plain.address() as AddressInfo).port })),
          failed('tls: handshake failure'),
        );
      } finally {
        plain.close();
      }
    });
  });
});

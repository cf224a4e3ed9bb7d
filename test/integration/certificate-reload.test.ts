/**
 * Certificates and authorities that change under load: requests in flight are not affected, and new connections get the
 * new ones.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { CLIENT_AUTH, SERVER_AUTH, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { PATIENCE_MS, until } from '../fixtures/until.ts';
import { whoAmI } from '../fixtures/who-am-i.ts';
import { Http2Connection } from '../security/http2-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe('certificates that change under load', function () {
  this.timeout(4 * PATIENCE_MS);
  let dir: string;
  let authority: TestAuthority;
  let clients: TestAuthority;
  let server: TestServer;
  let log: string[];

  before(async () => {
    [authority, clients] = await Promise.all([TestAuthority.create('CN=serving'), TestAuthority.create('CN=clients')]);
  });
  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-reload-'));
    log = [];
    write('main', await serving('first'));
    write('named', await serving('named-first', ['named.test']));
    writeFileSync(file('ca.crt'), clients.pem);
    server = await startTestServer({
      onLog: (line) => log.push(line),
      args: [
        `--tls-cert-file=${file('main.crt')}`,
        `--tls-private-key-file=${file('main.key')}`,
        `--tls-sni-cert-key=${file('named.crt')},${file('named.key')}`,
        `--client-ca-file=${file('ca.crt')}`,
        '--authorization-mode=AlwaysAllow',
      ],
    });
  });
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
    rmSync(dir, { recursive: true });
  });

  const file = (name: string): string => path.join(dir, name);
  const serving = (name: string, names = ['main.test']): Promise<TestAuthority> =>
    authority.sign({ subject: `CN=${name}`, names, extendedKeyUsages: [SERVER_AUTH] });
  function write(name: string, { pem, keyPem }: TestAuthority): void {
    writeFileSync(file(`${name}.crt`), pem);
    writeFileSync(file(`${name}.key`), keyPem);
  }
  /** As tools do that support readers: at once. */
  function replace(name: string, text: string): void {
    writeFileSync(file(`${name}.next`), text);
    renameSync(file(`${name}.next`), file(name));
  }

  /** The common name that a new connection is shown, on which a request is answered. */
  function shown(servername?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = https.get(
        {
          host: server.client.url.hostname,
          port: server.client.url.port,
          path: maps,
          headers: { authorization: `Bearer ${server.client.token}` },
          agent: false,
          rejectUnauthorized: false,
          ...(servername === undefined ? {} : { servername }),
        },
        (response) => {
          const { subject } = (response.socket as tls.TLSSocket).getPeerX509Certificate()!;
          response
            .resume()
            .once('end', () =>
              response.statusCode === 200
                ? resolve(subject.replace('CN=', ''))
                : reject(new Error(`answered ${response.statusCode}`)),
            );
        },
      );
      request.on('error', reject);
    });
  }

  /**
   * Runs `change` beside clients of the server: two watches, and requests one after another on one connection of
   * HTTP/1.1, on one of HTTP/2, and on new connections. Every request has to be answered as if nothing went on, no
   * connection may be lost, and each watch has to see every write.
   */
  async function underLoad(change: () => Promise<void>): Promise<void> {
    let over = false;
    const written: string[] = [];
    const ports = new Set<number>();
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const create = (name: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const request = https.request(
          {
            agent,
            host: server.client.url.hostname,
            port: server.client.url.port,
            method: 'POST',
            path: maps,
            headers: { authorization: `Bearer ${server.client.token}`, 'content-type': 'application/json' },
          },
          (response) => {
            ports.add(response.socket.localPort!);
            response.resume().once('end', () => resolve(response.statusCode ?? 0));
          },
        );
        request.on('error', reject);
        request.end(JSON.stringify({ metadata: { name } }));
      });
    const http2 = await Http2Connection.open(server);
    const watch = server.client.watch(`${maps}?watch=true&resourceVersion=0`);
    const watched2: string[] = [];
    let unread = '';
    http2.request('GET', `${maps}?watch=true&resourceVersion=0`).on('data', (part: Buffer) => {
      const lines = (unread + part.toString()).split('\n');
      unread = lines.pop()!;
      watched2.push(...lines.map((line) => JSON.parse(line).object.metadata.name as string));
    });
    const repeat = async (step: (i: number) => Promise<void>): Promise<void> => {
      for (let i = 0; !over; i++) {
        await step(i);
        await sleep(5);
      }
    };
    const load = Promise.all([
      repeat(async (i) => {
        assert.equal(await create(`m-${i}`), 201);
        written.push(`m-${i}`);
      }),
      repeat(async () => assert.equal((await http2.send('GET', `${maps}?limit=1`)).status, 200)),
      repeat(async () => {
        await shown();
      }),
    ]);
    load.catch(() => {
      over = true;
    });
    try {
      await change();
    } finally {
      over = true;
    }
    await load;
    assert.equal(ports.size, 1, 'the connection of HTTP/1.1 was lost');
    assert.equal(http2.session.destroyed || http2.session.closed, false, 'the connection of HTTP/2 was lost');
    await watch.until((events) => events.length >= written.length);
    await until(() => watched2.length >= written.length, 'the watch over HTTP/2');
    assert.deepEqual(
      watch.events.map(({ object }) => object.metadata.name).filter((name: string) => name.startsWith('m-')),
      written,
    );
    assert.deepEqual(
      watched2.filter((name) => name.startsWith('m-')),
      written,
    );
    watch.close();
    http2.close();
    agent.destroy();
  }

  const reloads = (): number => log.filter((line) => line.includes('have changed and are used')).length;
  const failures = (): string[] =>
    log.filter((line) => line.includes('cannot be used')).map((line) => JSON.parse(line).error as string);

  it('are shown to new connections, and to no other', () =>
    underLoad(async () => {
      const stays = tls.connect({
        host: server.client.url.hostname,
        port: Number(server.client.url.port),
        rejectUnauthorized: false,
      });
      await new Promise((resolve) => void stays.once('secureConnect', resolve));
      for (const name of ['second', 'third']) {
        const [next, named] = [await serving(name), await serving(`named-${name}`, ['named.test'])];
        for (const [pair, { pem, keyPem }] of [
          ['main', next],
          ['named', named],
        ] as const) {
          replace(`${pair}.crt`, pem);
          replace(`${pair}.key`, keyPem);
        }
        await until(
          async () => (await shown()) === name && (await shown('named.test')) === `named-${name}`,
          `${name} is not shown`,
        );
      }
      assert.equal(stays.getPeerX509Certificate()!.subject, 'CN=first');
      assert.equal(stays.destroyed, false);
      stays.destroy();
    }));

  it('are not used while they are broken, half written, or one without the other; the log tells', () =>
    underLoad(async () => {
      const next = await serving('second');
      const steps: readonly (readonly [name: string, text: string, problem: string])[] = [
        ['main.crt', '', 'main.crt: holds no PEM certificate'],
        ['main.crt', next.pem.slice(0, next.pem.length / 2), 'main.crt: holds no PEM certificate'],
        ['main.crt', next.pem, 'main.key: is not the private key of the certificate'],
        ['main.key', next.keyPem.slice(0, next.keyPem.length / 2), 'main.key: holds no PEM private key'],
      ];
      for (const [i, [name, text, problem]] of steps.entries()) {
        replace(name, text);
        await until(() => failures().length > i, problem);
        assert.ok(failures()[i]!.includes(problem), failures()[i]);
        assert.equal(await shown(), 'first');
      }
      assert.equal(reloads(), 0);
      replace('main.key', next.keyPem);
      await until(async () => (await shown()) === 'second', 'the whole pair is not shown');
      assert.deepEqual([failures().length, reloads()], [steps.length, 1]);
      assert.ok(!log.join().includes('PRIVATE KEY'));
    }));

  it('let in whom new authorities signed, and those of old ones no more, on whichever connection', () =>
    underLoad(async () => {
      const next = await TestAuthority.create('CN=next-clients');
      const [old, young] = await Promise.all([
        clients.sign({ subject: 'CN=old', extendedKeyUsages: [CLIENT_AUTH] }),
        next.sign({ subject: 'CN=young', extendedKeyUsages: [CLIENT_AUTH] }),
      ]);
      const userOf = async ({ pem, keyPem }: TestAuthority): Promise<string | number> => {
        const { status, user } = await whoAmI(server, { certificate: pem, key: keyPem });
        return user?.username ?? status;
      };
      assert.deepEqual([await userOf(old), await userOf(young)], ['old', 401]);
      // One that breaks off is none; then both, as one changes over; then the new one alone.
      replace('ca.crt', clients.pem + next.pem.slice(0, 200));
      await until(() => failures().length > 0, 'half an authority');
      assert.deepEqual([await userOf(old), await userOf(young)], ['old', 401]);
      replace('ca.crt', clients.pem + next.pem);
      await until(async () => (await userOf(young)) === 'young', 'the new authority');
      assert.equal(await userOf(old), 'old');
      const agent = new https.Agent({
        keepAlive: true,
        maxSockets: 1,
        rejectUnauthorized: false,
        cert: old.pem,
        key: old.keyPem,
      });
      const ports = new Set<number>();
      const statusOnOldConnection = (): Promise<number> =>
        new Promise((resolve, reject) => {
          https
            .get(
              { agent, host: server.client.url.hostname, port: server.client.url.port, path: '/version' },
              (response) => {
                ports.add(response.socket.localPort!);
                response.resume().once('end', () => resolve(response.statusCode ?? 0));
              },
            )
            .on('error', reject);
        });
      assert.equal(await statusOnOldConnection(), 200);
      replace('ca.crt', next.pem);
      await until(async () => (await userOf(old)) === 401, 'the old authority');
      assert.deepEqual([await userOf(young), await statusOnOldConnection(), ports.size], ['young', 401, 1]);
      agent.destroy();
    }));
});

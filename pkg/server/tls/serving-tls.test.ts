import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls, { type SecureContextOptions } from 'node:tls';
import { TestAuthority } from '../../net/certificates-testing.ts';
import type { NamedPair } from './named-pair.ts';
import { ServingTls } from './serving-tls.ts';

describe('ServingTls', () => {
  let dir: string;
  let authority: TestAuthority;
  let serving: ServingTls | undefined;
  let reloads: number;
  let errors: string[];
  let used: SecureContextOptions[];

  before(async () => {
    authority = await TestAuthority.create();
  });
  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-serving-tls-'));
    [reloads, errors, used] = [0, [], []];
    await writePair('main', 'CN=main');
  });
  afterEach(() => {
    serving?.stop();
    serving = undefined;
    rmSync(dir, { recursive: true });
  });

  const file = (name: string): string => path.join(dir, name);
  const filesOf = (name: string) => ({ certFile: file(`${name}.crt`), keyFile: file(`${name}.key`) });

  async function writePair(name: string, subject: string, names?: readonly string[]): Promise<TestAuthority> {
    const pair = await authority.sign({ subject, ...(names === undefined ? {} : { names }) });
    writeFileSync(file(`${name}.crt`), pair.pem);
    writeFileSync(file(`${name}.key`), pair.keyPem);
    return pair;
  }

  async function open(
    named: readonly NamedPair[] = [],
    clientAuthorityFiles: readonly string[] = [],
  ): Promise<ServingTls> {
    serving = new ServingTls({
      pair: filesOf('main'),
      named,
      clientAuthorityFiles,
      policy: { minVersion: 'TLSv1.2', ciphers: tls.DEFAULT_CIPHERS },
      onReload: () => {
        reloads++;
      },
      onError: (error) => errors.push((error as Error).message),
    });
    serving.follow((context) => used.push(context));
    await serving.start();
    return serving;
  }

  it('is the pair of its files, for clients that it asks for nothing', async () => {
    const opened = await open();
    const { cert, key, minVersion, ca } = opened.context;
    assert.deepEqual({ cert, key }, opened.pair);
    assert.deepEqual([minVersion, ca, opened.requestCert, opened.contextFor], ['TLSv1.2', undefined, false, undefined]);
  });

  it('cannot be made of files that are wrong', async () => {
    writeFileSync(file('main.key'), 'nothing');
    await assert.rejects(open(), {
      message: `${file('main.key')}: holds no PEM private key, or one that needs a passphrase`,
    });
    await writePair('main', 'CN=main');
    writeFileSync(file('ca.crt'), 'nothing');
    await assert.rejects(open([], [file('ca.crt')]), {
      message: `${file('ca.crt')}: holds no PEM certificates of authorities`,
    });
    await assert.rejects(open([{ ...filesOf('absent'), patterns: [] }]), {
      message: `${file('absent.crt')}: there is no such file`,
    });
  });

  it('asks clients for certificates of all its authorities', async () => {
    const other = await TestAuthority.create('CN=other');
    writeFileSync(file('ca.crt'), authority.pem);
    writeFileSync(file('more.crt'), other.pem + authority.pem);
    const opened = await open([], [file('ca.crt'), file('more.crt')]);
    assert.equal(opened.requestCert, true);
    assert.equal((opened.context.ca as string[]).length, 3);
  });

  it('reports changed files, and uses them', async () => {
    const opened = await open();
    const next = await writePair('main', 'CN=next');
    await opened.check();
    assert.deepEqual([reloads, errors, used.length], [1, [], 1]);
    assert.equal(used[0]!.cert, next.pem);
    assert.deepEqual(opened.pair, { cert: next.pem, key: next.keyPem });
    await opened.check();
    assert.equal(reloads, 1);
  });

  it('stays with the pair it had while one of its files is broken, half written or of another pair', async () => {
    const opened = await open();
    const { context, pair } = opened;
    const next = await authority.sign({ subject: 'CN=next' });
    const steps: readonly (readonly [name: string, text: string, problem: string])[] = [
      ['main.crt', next.pem.slice(0, 300), `${file('main.crt')}: holds no PEM certificate`],
      ['main.crt', next.pem, `${file('main.key')}: is not the private key of the certificate in ${file('main.crt')}`],
      ['main.key', '', `${file('main.key')}: holds no PEM private key, or one that needs a passphrase`],
    ];
    for (const [i, [name, text, problem]] of steps.entries()) {
      writeFileSync(file(name), text);
      await opened.check();
      assert.deepEqual([errors.length, errors.at(-1)], [i + 1, problem]);
      assert.equal(opened.context, context);
      assert.equal(opened.pair, pair);
    }
    assert.deepEqual([reloads, used], [0, []]);
    writeFileSync(file('main.key'), next.keyPem);
    await opened.check();
    assert.deepEqual([reloads, opened.pair], [1, { cert: next.pem, key: next.keyPem }]);
  });

  it('renews what is whole while other files are broken', async () => {
    const other = await TestAuthority.create('CN=other');
    writeFileSync(file('ca.crt'), authority.pem);
    writeFileSync(file('more.crt'), authority.pem);
    await writePair('one', 'CN=one', ['one.test']);
    await writePair('two', 'CN=two', ['two.test']);
    const opened = await open(
      ['one', 'two'].map((name) => ({ ...filesOf(name), patterns: [] })),
      [file('ca.crt'), file('more.crt')],
    );
    rmSync(file('one.key'));
    rmSync(file('ca.crt'));
    writeFileSync(file('more.crt'), other.pem + other.pem);
    await writePair('two', 'CN=two', ['renamed.test']);
    const next = await writePair('main', 'CN=next');
    await opened.check();
    assert.deepEqual(errors.sort(), [
      `${file('ca.crt')}: there is no such file`,
      `${file('one.key')}: there is no such file`,
    ]);
    assert.deepEqual([opened.pair, used.at(-1)], [{ cert: next.pem, key: next.keyPem }, opened.context]);
    assert.deepEqual(
      ['one.test', 'two.test', 'renamed.test'].map((name) => opened.contextFor!(name) !== undefined),
      [true, false, true],
    );
    assert.deepEqual(
      (opened.context.ca as string[]).map((pem) => new X509Certificate(pem).subject),
      ['CN=test-ca', 'CN=other', 'CN=other'],
    );
    writeFileSync(file('ca.crt'), other.pem);
    await opened.check();
    assert.deepEqual([(opened.context.ca as string[]).length, errors.length], [3, 2]);
  });

  it('finds pairs by names, those of changed certificates as well', async () => {
    await writePair('named', 'CN=named', ['one.test']);
    const opened = await open([{ ...filesOf('named'), patterns: [] }]);
    const contextFor = opened.contextFor!;
    assert.notEqual(contextFor('one.test'), undefined);
    assert.equal(contextFor('two.test'), undefined);
    await writePair('named', 'CN=named', ['two.test']);
    await opened.check();
    assert.notEqual(contextFor('two.test'), undefined);
    assert.equal(contextFor('one.test'), undefined);
  });

  it('is what a server of node takes, and shows', async () => {
    await writePair('named', 'CN=named', ['named.test']);
    const opened = await open([{ ...filesOf('named'), patterns: [] }]);
    const server = tls.createServer(
      { ...opened.context, SNICallback: (name, answer) => answer(null, opened.contextFor!(name)) },
      (socket) => socket.end(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const shown = async (servername: string): Promise<string> => {
      const socket = tls.connect({
        port: (server.address() as AddressInfo).port,
        host: '127.0.0.1',
        servername,
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerX509Certificate()!;
      socket.destroy();
      return subject;
    };
    assert.deepEqual([await shown('named.test'), await shown('other.test')], ['CN=named', 'CN=main']);
    server.close();
    await once(server, 'close');
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { readKeyPair } from './key-pair-files.ts';
import { ensureSelfSigned } from './self-signed.ts';

interface Served {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What is in the files. */
async function serve(dir: string, names: readonly string[], tell?: (message: string) => void): Promise<Served> {
  const files = ensureSelfSigned(dir, names, tell);
  return { ...readKeyPair(files), ca: readFileSync(files.caFile, 'utf8') };
}

describe('ensureSelfSigned', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'binnacle-tls-'));
  const dir = path.join(root, 'deep', 'pki');
  let made: Served;
  let leaf: X509Certificate;
  before(async () => {
    made = await serve(dir, ['localhost', 'kubernetes.default.svc', '127.0.0.1', '::1']);
    leaf = new X509Certificate(made.cert);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('makes a certificate for the names, signed by an authority of its own', () => {
    const authority = new X509Certificate(made.ca);
    assert.deepEqual([authority.ca, leaf.ca], [true, false]);
    assert.ok(leaf.verify(authority.publicKey) && authority.verify(authority.publicKey));
    assert.ok(leaf.checkPrivateKey(createPrivateKey(made.key)));
    for (const name of ['localhost', 'kubernetes.default.svc']) assert.equal(leaf.checkHost(name), name);
    for (const ip of ['127.0.0.1', '::1']) assert.notEqual(leaf.checkIP(ip), undefined, ip);
    assert.deepEqual([leaf.checkHost('example.com'), leaf.checkIP('10.0.0.1')], [undefined, undefined]);
  });

  it('is one that strict clients accept', function () {
    if (spawnSync('openssl', ['version']).error !== undefined) this.skip();
    const [ca, served] = [path.join(root, 'strict-ca.pem'), path.join(root, 'strict.pem')];
    writeFileSync(ca, made.ca);
    writeFileSync(served, made.cert);
    const checked = spawnSync('openssl', ['verify', '-x509_strict', '-CAfile', ca, served], { encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
  });

  it('is valid for years, from a little ago', () => {
    const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
    assert.ok(from < Date.now() - 60_000 && from > Date.now() - 24 * 3600_000);
    assert.ok(to > Date.now() + 9 * 365 * 24 * 3600_000);
  });

  it('serves clients that trust the authority, and no others', async () => {
    const server = tls.createServer({ cert: made.cert, key: made.key }, (socket) => socket.end('hello'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const connect = (ca: string | undefined): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = tls.connect({
          port,
          host: '127.0.0.1',
          servername: 'localhost',
          ...(ca === undefined ? {} : { ca }),
        });
        socket.on('data', (bytes) => resolve(bytes.toString()));
        socket.on('error', reject);
      });
    assert.equal(await connect(made.ca), 'hello');
    await assert.rejects(connect(undefined), /self-signed certificate|unable to verify|unable to get/);
    await new Promise((resolve) => void server.close(resolve));
  });

  it('keeps the key from others', () => {
    assert.equal(statSync(path.join(dir, 'apiserver.key')).mode & 0o777, 0o600);
    assert.equal(statSync(dir).mode & 0o077, 0);
    assert.ok(!readFileSync(path.join(dir, 'apiserver.crt'), 'utf8').includes('PRIVATE'));
  });

  it('loads what it made before', async () => {
    assert.deepEqual(await serve(dir, ['127.0.0.1', '0:0::1', 'localhost'], (message) => assert.fail(message)), made);
  });

  it('makes a new certificate for the key when that from before lacks a name or an address, of the same authority', async () => {
    const moved = path.join(root, 'moved');
    const [told, names] = [[] as string[], ['localhost', '127.0.0.1', '::1']];
    const before = await serve(moved, names);
    const again = await serve(moved, ['localhost', '192.0.2.7', 'api.example.com'], (message) => told.push(message));
    assert.deepEqual(told, [
      `${moved}/apiserver.crt is not for 192.0.2.7, api.example.com: a new one has taken its place`,
    ]);
    const [renewed, authority] = [new X509Certificate(again.cert), new X509Certificate(again.ca)];
    assert.ok(
      renewed.checkIssued(authority) &&
        renewed.verify(authority.publicKey) &&
        renewed.checkPrivateKey(createPrivateKey(again.key)),
    );
    assert.deepEqual([again.ca, again.key], [before.ca, before.key]);
    assert.equal(
      renewed.subjectAltName,
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:192.0.2.7, DNS:api.example.com',
    );
    assert.deepEqual(readdirSync(moved).sort(), ['apiserver.crt', 'apiserver.key', 'ca.crt', 'ca.key']);
    for (const name of ['apiserver.key', 'ca.key'])
      assert.equal(statSync(path.join(moved, name)).mode & 0o777, 0o600, name);
    assert.deepEqual(await serve(moved, names, (message) => assert.fail(message)), again);
  });

  it('makes a new authority as well where the key of that from before is gone, or is that of another one', async () => {
    const lost = path.join(root, 'lost');
    let known = await serve(lost, ['localhost']);
    for (const [name, key] of [
      ['one.example.com', undefined],
      ['two.example.com', made.key],
    ] as const) {
      const told: string[] = [];
      rmSync(path.join(lost, 'ca.key'));
      if (key !== undefined) writeFileSync(path.join(lost, 'ca.key'), key);
      const again = await serve(lost, [name], (message) => told.push(message));
      assert.match(told.join(), /a new one has taken its place, of a new authority, .*ca\.crt$/);
      assert.notEqual(again.ca, known.ca);
      assert.ok(new X509Certificate(again.cert).verify(new X509Certificate(again.ca).publicKey));
      known = again;
    }
    assert.equal(readFileSync(path.join(lost, 'ca.key'), 'utf8'), made.key, 'what something else put there stays');
  });

  it('reports it where it cannot replace the pair', async () => {
    const stuck = path.join(root, 'stuck');
    const told: string[] = [];
    const before = await serve(stuck, ['localhost']);
    mkdirSync(path.join(stuck, 'apiserver.crt.new'));
    assert.deepEqual(await serve(stuck, ['192.0.2.7'], (message) => told.push(message)), before);
    assert.match(told.join(), /apiserver\.crt is not for 192\.0\.2\.7, and cannot be replaced: EISDIR/);
  });

  it('keeps a pair that something else put there', async () => {
    const other = path.join(root, 'other');
    mkdirSync(other);
    writeFileSync(path.join(other, 'apiserver.crt'), made.cert);
    writeFileSync(path.join(other, 'apiserver.key'), made.key);
    const told: string[] = [];
    assert.deepEqual(await serve(other, ['other.example.com'], (message) => told.push(message)), {
      ...made,
      ca: made.cert,
    });
    assert.deepEqual(told, [
      `${other}/apiserver.crt is not for other.example.com: clients that come that way will not trust it`,
    ]);
  });

  it('never overwrites what something else put there', async () => {
    const strange = path.join(root, 'strange');
    mkdirSync(strange);
    writeFileSync(path.join(strange, 'ca.crt'), made.ca);
    const files = ensureSelfSigned(strange, ['localhost']);
    assert.equal(readFileSync(path.join(strange, 'ca.crt'), 'utf8'), made.ca);
    assert.deepEqual(files.caFile, files.certFile, 'its own authority stands behind the certificate');
    assert.deepEqual(ensureSelfSigned(strange, ['localhost']), files);
    for (const [gone, words] of [
      ['apiserver.crt', /strange has apiserver\.key without apiserver\.crt: /],
      ['apiserver.key', /strange has apiserver\.crt without apiserver\.key: /],
    ] as const) {
      const text = readFileSync(path.join(strange, gone));
      rmSync(path.join(strange, gone));
      assert.throws(() => ensureSelfSigned(strange, []), words);
      writeFileSync(path.join(strange, gone), text);
    }
    assert.deepEqual(ensureSelfSigned(strange, []), files);
  });

  it('makes a new one where it was removed', async () => {
    for (const name of ['ca.crt', 'apiserver.crt', 'apiserver.key']) rmSync(path.join(dir, name));
    const again = await serve(dir, ['other.example.com']);
    assert.notEqual(again.cert, made.cert);
    assert.equal(new X509Certificate(again.cert).checkHost('other.example.com'), 'other.example.com');
    assert.deepEqual(await serve(dir, []), again);
  });
});

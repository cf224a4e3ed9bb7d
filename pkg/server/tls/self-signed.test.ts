import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { loadOrCreateCertificate, type ServingCertificate } from './self-signed.ts';

describe('loadOrCreateCertificate', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'binnacle-tls-'));
  const dir = path.join(root, 'deep', 'pki');
  let made: ServingCertificate;
  let leaf: X509Certificate;
  before(async () => {
    made = await loadOrCreateCertificate(dir, ['localhost', 'kubernetes.default.svc', '127.0.0.1', '::1']);
    leaf = new X509Certificate(made.cert as string);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('makes a certificate for the names, signed by an authority of its own', () => {
    const authority = new X509Certificate(made.ca);
    assert.deepEqual([authority.ca, leaf.ca], [true, false]);
    assert.ok(leaf.verify(authority.publicKey) && authority.verify(authority.publicKey));
    assert.ok(leaf.checkPrivateKey(createPrivateKey(made.key as string)));
    for (const name of ['localhost', 'kubernetes.default.svc']) assert.equal(leaf.checkHost(name), name);
    for (const ip of ['127.0.0.1', '::1']) assert.notEqual(leaf.checkIP(ip), undefined, ip);
    assert.deepEqual([leaf.checkHost('example.com'), leaf.checkIP('10.0.0.1')], [undefined, undefined]);
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
    const connect = (ca: string | undefined): Promise<string> => new Promise((resolve, reject) => {
      const socket = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', ...(ca === undefined ? {} : { ca }) });
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
    assert.deepEqual(await loadOrCreateCertificate(dir, ['other.example.com']), made);
  });

  it('makes a new one where a part is missing', async () => {
    rmSync(path.join(dir, 'apiserver.key'));
    const again = await loadOrCreateCertificate(dir, ['other.example.com']);
    assert.notEqual(again.cert, made.cert);
    assert.equal(new X509Certificate(again.cert as string).checkHost('other.example.com'), 'other.example.com');
    assert.deepEqual(await loadOrCreateCertificate(dir, []), again);
  });
});

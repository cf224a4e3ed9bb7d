import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { CLIENT_AUTH, TestAuthority } from '../../net/certificates-testing.ts';
import { presented } from '../authentication-testing.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { clientCertificateAuthenticator } from './authenticator.ts';
import { readAuthorities, type Authorities } from './authorities.ts';
import { certificateVerifier } from './certificate-verifier.ts';

describe('clientCertificateAuthenticator', () => {
  let root: TestAuthority;
  let authorities: Authorities;
  let now = Date.now();

  before(async () => {
    root = await TestAuthority.create();
    authorities = readAuthorities(root.pem);
  });

  const expiries: number[] = [];
  const open = () =>
    clientCertificateAuthenticator(
      certificateVerifier(
        () => authorities,
        () => now,
      ),
      ({ notAfterMs }) => void expiries.push(notAfterMs),
    );
  const sign = async (subject: Parameters<TestAuthority['sign']>[0]['subject']) =>
    new X509Certificate((await root.sign({ subject, extendedKeyUsages: [CLIENT_AUTH] })).pem);

  it('takes the common name for the user and organizations for groups', async () => {
    const certificate = await sign([{ O: ['staff'] }, { CN: ['alice'] }, { O: ['ops'] }]);
    assert.deepEqual(await open().authenticate(presented([], certificate)), {
      user: {
        name: 'alice',
        groups: ['staff', 'ops'],
        extra: {
          'authentication.kubernetes.io/credential-id': [
            `X509SHA256=${createHash('sha256').update(certificate.raw).digest('hex')}`,
          ],
        },
      },
    });
    assert.deepEqual(expiries, [Date.parse(certificate.validTo)]);
    assert.equal(await open().authenticate(presented()), undefined);
  });

  it('reads odd names correctly', async () => {
    const name = async (subject: Parameters<TestAuthority['sign']>[0]['subject']) => {
      const known = await open().authenticate(presented([], await sign(subject)));
      return known && { name: known.user.name, groups: known.user.groups };
    };
    assert.deepEqual(await name([{ CN: ['mallory\nO=system:masters'] }]), {
      name: 'mallory\nO=system:masters',
      groups: [],
    });
    assert.deepEqual(await name([{ CN: ['mallory, O=system:masters'] }]), {
      name: 'mallory, O=system:masters',
      groups: [],
    });
    assert.deepEqual(await name([{ CN: ['admin\u0000.example'] }]), { name: 'admin\u0000.example', groups: [] });
    assert.deepEqual(await name([{ CN: ['jürgen'] }, { O: ['größe'] }]), { name: 'jürgen', groups: ['größe'] });
    assert.deepEqual(await name([{ CN: ['first'] }, { CN: ['last'] }]), { name: 'last', groups: [] });
    assert.equal(await name([{ O: ['system:masters'] }]), undefined);
    assert.equal(await name([{ CN: [''] }, { O: ['system:masters'] }]), undefined);
  });

  it('refuses certificates of others, and expired ones, also known ones', async () => {
    const authenticator = open();
    const other = await TestAuthority.create();
    const foreign = new X509Certificate((await other.sign({ subject: 'CN=alice' })).pem);
    for (let i = 0; i < 2; i++)
      assert.throws(() => authenticator.authenticate(presented([], foreign)), InvalidCredentials);
    const certificate = await sign('CN=alice');
    assert.ok(await authenticator.authenticate(presented([], certificate)));
    const before = now;
    now += 2 * 24 * 3600_000;
    assert.throws(() => authenticator.authenticate(presented([], certificate)), InvalidCredentials);
    now = before;
  });

  it('checks again one that it refused, although the clock was set back', async () => {
    const certificate = await sign('CN=alice');
    const authenticator = open();
    const [before, steady] = [now, performance.now];
    try {
      now += 2 * 24 * 3600_000;
      assert.throws(() => authenticator.authenticate(presented([], certificate)), InvalidCredentials);
      now = before;
      assert.throws(() => authenticator.authenticate(presented([], certificate)), InvalidCredentials);
      performance.now = () => steady.call(performance) + 10_000;
      assert.ok(await authenticator.authenticate(presented([], certificate)));
    } finally {
      performance.now = steady;
      now = before;
    }
  });

  it('follows changed authorities', async () => {
    const authenticator = open();
    const certificate = await sign('CN=alice');
    assert.ok(await authenticator.authenticate(presented([], certificate)));
    const before = authorities;
    authorities = readAuthorities((await TestAuthority.create()).pem);
    assert.throws(() => authenticator.authenticate(presented([], certificate)), InvalidCredentials);
    authorities = before;
    assert.ok(await authenticator.authenticate(presented([], certificate)));
  });

  it('reads chains as connections show them, and needs no chain when the certificate is known', async () => {
    const middle = await root.sign({ subject: 'CN=middle', authority: {} });
    const serving = await root.sign({ subject: 'CN=server', names: ['127.0.0.1'] });
    const client = await middle.sign({ subject: 'CN=alice', extendedKeyUsages: [CLIENT_AUTH] });
    const shown: (X509Certificate | undefined)[] = [];
    const server = createServer(
      { cert: serving.pem, key: serving.keyPem, requestCert: true, rejectUnauthorized: false },
      (socket) => {
        shown.push(socket.getPeerX509Certificate());
        socket.end('x');
      },
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const visit = (cert: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca: root.pem, cert, key: client.keyPem });
        socket
          .on('error', reject)
          .on('data', () => undefined)
          .on('close', () => resolve());
      });
    await visit(client.pem + middle.pem);
    await visit(client.pem);
    await new Promise((resolve) => server.close(resolve));
    const authenticator = open();
    assert.equal((await authenticator.authenticate(presented([], shown[0])))?.user.name, 'alice');
    assert.equal((await authenticator.authenticate(presented([], shown[1])))?.user.name, 'alice');
    assert.throws(() => open().authenticate(presented([], shown[1])), InvalidCredentials);
  });

  it('refuses bundles that are empty or broken', () => {
    assert.throws(() => readAuthorities(''), /holds no PEM certificate/);
    assert.throws(
      () => readAuthorities('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      /cannot be read/,
    );
    assert.equal(readAuthorities(`${root.pem}\n# comment\n${root.pem}`).certificates.length, 2);
  });
});

/**
 * Headers that identify a user: repeated, split, hidden behind others. Only whole and allowed ones count, and none
 * raises the sender's rights.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { CLIENT_AUTH, TestAuthority } from '../../pkg/net/certificates-testing.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI, type WhoAmI } from '../fixtures/who-am-i.ts';

type Headers = readonly (readonly [name: string, value: string])[];

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const MASTERS = 'system:masters';

describe('headers about identity', () => {
  let dir: string;
  let front: TestAuthority;
  let server: TestServer;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-identity-'));
    const [clients, proxies] = [await TestAuthority.create('CN=clients'), await TestAuthority.create('CN=proxies')];
    front = await proxies.sign({ subject: 'CN=front', extendedKeyUsages: [CLIENT_AUTH] });
    writeFileSync(path.join(dir, 'clients.pem'), clients.pem);
    writeFileSync(path.join(dir, 'proxies.pem'), proxies.pem);
    writeFileSync(path.join(dir, 'tokens.csv'), 'lowtoken,low,low\nothertoken,other,other\n');
    server = await startTestServer({
      args: [
        `--token-auth-file=${path.join(dir, 'tokens.csv')}`,
        `--client-ca-file=${path.join(dir, 'clients.pem')}`,
        `--requestheader-client-ca-file=${path.join(dir, 'proxies.pem')}`,
        '--requestheader-allowed-names=front',
        '--requestheader-username-headers=X-Remote-User',
        '--requestheader-group-headers=X-Remote-Group',
        '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      ],
    });
  });
  after(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(server.errors, []);
  });

  /** Not more than the low user, or refused. */
  function assertLow({ status, user, body }: WhoAmI, what: string): void {
    assert.ok([201, 400, 401, 403, 500].includes(status), `${what}: ${status}`);
    if (status !== 201) return;
    assert.ok(['low', 'system:anonymous'].includes(user?.username ?? ''), `${what}: ${JSON.stringify(body)}`);
    assert.ok(!user?.groups?.includes(MASTERS), what);
  }
  const asLow = (...headers: Headers): Promise<WhoAmI> => whoAmI(server, { token: 'lowtoken', headers });

  it('of a proxy, from any other client, are ignored', async () => {
    const tricks: Headers[] = [
      [
        ['X-Remote-User', 'admin'],
        ['X-Remote-Group', MASTERS],
      ],
      [['x-remote-user', 'admin']],
      [
        ['X-REMOTE-USER', 'admin'],
        ['X-REMOTE-GROUP', MASTERS],
      ],
      [['X_Remote_User', 'admin']],
      [
        ['X-Remote-User', 'a'],
        ['X-Remote-User', 'admin'],
      ],
      [
        ['X-Remote-Extra-Groups', MASTERS],
        ['X-Remote-Group', MASTERS],
      ],
      [['X-Forwarded-User', 'admin']],
      [['X-Ssl-Client-Dn', 'CN=admin,O=system:masters']],
      [['Ssl-Client-Cert', front.pem.replaceAll('\n', ' ')]],
      [['X-Forwarded-Client-Cert', front.pem.replaceAll('\n', ' ')]],
    ];
    for (const headers of tricks) assertLow(await asLow(...headers), JSON.stringify(headers).slice(0, 100));
    for (const headers of tricks)
      assertLow(await whoAmI(server, { headers }), `nobody: ${JSON.stringify(headers).slice(0, 100)}`);
  });

  it('of a proxy, sent twice, are not mixed', async () => {
    const by = async (...headers: Headers): Promise<WhoAmI> =>
      whoAmI(server, { headers, certificate: front.pem, key: front.keyPem });
    assert.equal((await by(['X-Remote-User', 'low'], ['X-Remote-User', 'admin'])).user?.username, 'low');
    assert.deepEqual((await by(['X-Remote-User', 'low'], ['X-Remote-Group', `a, ${MASTERS}`])).user?.groups, [
      `a, ${MASTERS}`,
      'system:authenticated',
    ]);
    // A proxy may act for users, and users through it only as far as they may themselves.
    assert.equal((await by(['X-Remote-User', 'low'], ['Impersonate-User', 'admin'])).status, 403);
    // Its certificate alone is no user.
    assertLow(await by(), 'a proxy without headers');
    assertLow(await by(['X-Remote-User', '']), 'an empty name');
    assertLow(await by(['X-Remote-Group', MASTERS]), 'groups of nobody');
  });

  it('of impersonation give nothing to who may not act for others', async () => {
    const tricks: Headers[] = [
      [['Impersonate-User', 'admin']],
      [['impersonate-user', 'admin']],
      [['Impersonate-User', '']],
      [
        ['Impersonate-User', ''],
        ['Impersonate-User', 'admin'],
      ],
      [
        ['Impersonate-User', 'low'],
        ['Impersonate-Group', MASTERS],
      ],
      [['Impersonate-Group', MASTERS]],
      [['Impersonate-Uid', 'x']],
      [['Impersonate-Extra-Scopes', 'x']],
      [['Impersonate-Extra-', 'x']],
      [['Impersonate-User', 'low']],
      [['Impersonate_User', 'admin']],
      [['Impersonate-User', 'admin, low']],
      [['Impersonate-Extra-%00', 'x']],
      [['Impersonate-Extra-%', 'x']],
      [
        ['Impersonate-User', 'low'],
        ['Impersonate-User', 'admin'],
      ],
      [['Impersonate-Extra-__proto__', 'x']],
      [['Impersonate-User', 'system:serviceaccount:kube-system:default']],
      [['Impersonate-User', 'system:anonymous']],
    ];
    for (const headers of tricks) {
      const answer = await asLow(...headers);
      assertLow(answer, JSON.stringify(headers));
      if (answer.status === 201) assert.equal(answer.user?.username, 'low', JSON.stringify(headers));
    }
  });

  it('of impersonation count wherever they stand among many others', async () => {
    const others = Array.from({ length: 5000 }, (_, i) => [`X-${i}`, '1'] as const);
    const groups = Array.from({ length: 300 }, (_, i) => `g${i}`);
    const wanted: Headers = [
      ['Impersonate-User', 'jane'],
      ['Impersonate-Extra-Scope', 'read'],
      ...groups.map((group) => ['Impersonate-Group', group] as const),
    ];
    const expected = { username: 'jane', groups: [...groups, 'system:authenticated'], extra: { scope: ['read'] } };
    const { token } = server.client;
    assert.deepEqual((await whoAmI(server, { token, headers: [...others, ...wanted] })).user, expected);
    assert.deepEqual((await whoAmI(server, { token, headers: wanted, http2: true })).user, expected);
    assertLow(await asLow(...others, ...wanted), 'behind many others');
    // A thousand things to act with, each of which is looked for among all.
    const keys = Array.from({ length: 3000 }, (_, i) => [`Impersonate-Extra-${i}`, '1'] as const);
    assert.equal(
      Object.keys(
        (await whoAmI(server, { token, headers: [['Impersonate-User', 'jane'], ...others, ...keys] })).user?.extra ??
          {},
      ).length,
      keys.length,
    );
  });

  it('are names in UTF-8', async () => {
    const asBytes = (text: string): string => Buffer.from(text).toString('latin1');
    for (const http2 of [false, true]) {
      const acted = await whoAmI(server, {
        token: server.client.token,
        headers: [
          ['Impersonate-User', asBytes('jörg')],
          ['Impersonate-Group', asBytes('日本')],
        ],
        http2,
      });
      assert.deepEqual([acted.user?.username, acted.user?.groups], ['jörg', ['日本', 'system:authenticated']]);
    }
    const proxied = await whoAmI(server, {
      headers: [
        ['X-Remote-User', asBytes('jörg')],
        ['X-Remote-Extra-Land', asBytes('Österreich')],
      ],
      certificate: front.pem,
      key: front.keyPem,
    });
    assert.deepEqual([proxied.user?.username, proxied.user?.extra], ['jörg', { land: ['Österreich'] }]);
  });

  it('stay, whatever Connection and its like name', async () => {
    const headers = (user: string): Headers => [
      ['Impersonate-User', user],
      ['Impersonate-Group', 'g'],
    ];
    for (const named of [
      'Impersonate-User',
      'impersonate-group',
      'Authorization',
      'authorization, Impersonate-User',
      'close, X-Remote-User',
      'Content-Length',
      'Host',
    ]) {
      for (const by of ['Connection', 'Proxy-Connection', 'Keep-Alive', 'TE']) {
        // Were one of them taken away the administrator would act as itself.
        const acted = await whoAmI(server, { token: server.client.token, headers: [[by, named], ...headers('jane')] });
        assert.ok(
          acted.status !== 201 || (acted.user?.username === 'jane' && acted.user.groups?.includes('g') === true),
          `${by}: ${named}: ${JSON.stringify(acted.body)}`,
        );
        assertLow(await asLow([by, named]), `${by}: ${named}`);
      }
    }
  });

  it('of authorization count once, and whole', async () => {
    const admin = server.client.token;
    const tricks: Headers[] = [
      [
        ['Authorization', 'Bearer lowtoken'],
        ['Authorization', `Bearer ${admin}x`],
      ],
      [['Authorization', 'Bearer lowtoken, Bearer othertoken']],
      [['Authorization', 'Bearer othertoken lowtoken']],
      [['Authorization', 'lowtoken']],
      [['Proxy-Authorization', 'Bearer othertoken']],
      [['X-Authorization', 'Bearer othertoken']],
      [['Cookie', 'token=othertoken']],
      [['Authorization', 'Basic lowtoken']],
      [['Authorization', 'Bearer']],
      [['Authorization', '']],
    ];
    for (const headers of tricks) assertLow(await whoAmI(server, { headers }), JSON.stringify(headers).slice(0, 80));
    // Of two the first counts, and the other for nothing.
    const both = await whoAmI(server, {
      headers: [
        ['Authorization', 'Bearer lowtoken'],
        ['Authorization', 'Bearer othertoken'],
      ],
    });
    assert.ok(both.status === 401 || both.user?.username === 'low', JSON.stringify(both.body));
  });

  it('cannot be broken by line ends', async () => {
    for (const value of ['low\r\nImpersonate-Group: system:masters', 'low\nX: y', 'low\rX: y', 'low\0', 'low\u000b']) {
      const { status } = await rawReview(
        `Authorization: Bearer ${server.client.token}\r\nImpersonate-User: jane${value}\r\n`,
      );
      // The first is simply two headers, both of which an administrator may send; the others are no headers.
      assert.ok(
        value.startsWith('low\r\nImp') ? status === 201 : status === 400,
        `${JSON.stringify(value)}: ${status}`,
      );
    }
  });

  /** A review with headers as they are, byte by byte. */
  function rawReview(headers: string): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({
        host: server.client.url.hostname,
        port: Number(server.client.url.port),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      });
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve({ status: Number(text.split(' ')[1]), text }));
      socket.write(
        `POST ${REVIEWS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${headers}\r\n{}`,
      );
    });
  }
});

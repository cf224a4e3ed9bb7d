/** The page of `--enable-apidoc-ui` needs no authentication; its data, and all other paths, do. */
import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { Http2Connection } from './http2-connection.ts';
import { RawConnection, type RawAnswer } from './raw-connection.ts';

/** Ways from the page to what is behind authentication. */
const targets: readonly string[] = [
  '/',
  '/api',
  '/api/v1/secrets',
  '/openapi/v3',
  '/openapi/v2',
  '/metrics',
  '/healthz',
  '/apidoc/../api',
  '/apidoc/../../api/v1/secrets',
  '/apidoc/./../api',
  '/apidoc/..;/api',
  '/apidoc/%2e%2e/api',
  '/apidoc/%2e%2e%2fapi',
  '/apidoc/..%2fapi%2fv1%2fsecrets',
  '/apidoc/..%252fapi',
  '/apidoc/..%c0%afapi',
  String.raw`/apidoc/..\api`,
  '/apidoc//api',
  '//apidoc//api',
  '/apidoc//',
  '//apidoc/',
  '/apidoc/;/../api',
  '/apidoc/index.html/../../api',
  '/apidoc/index.html/',
  '/apidoc/index.html%00',
  '/apidoc/index.html/api/v1/secrets',
  '/apidoc/index.html;/api',
  '/apidoc/%69ndex.html',
  '/%61pidoc/',
  '/apidoc%2f',
  '/APIDOC/',
  '/apidoc/page.ts',
  '/apidoc/api-page.json',
  '/apidoc/../apidoc/',
  '/apidoc/__proto__',
  '/apidoc/toString',
  '/apidoc/../../../../etc/passwd',
  '/apidoc/%2e%2e/%2e%2e/etc/passwd',
  '/swagger-ui/../api',
  '/swagger-ui/%2e%2e/api',
  '/swagger-ui/index.html',
  '/swagger-ui//',
  '/api/v1/namespaces/apidoc/secrets',
  '/api/v1/../../apidoc/',
  '/apis/apidoc/',
  '/api/apidoc/index.html',
  'https://other.example/apidoc/../api',
  'https://other.example/api?/apidoc/',
  '/api?/apidoc/',
  '/api#/apidoc/',
  '/api?url=/apidoc/',
];

describe('the API page', function () {
  this.timeout(60_000);
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ args: ['--enable-swagger-ui', '--anonymous-auth=false'] });
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  async function ask(method: string, target: string, headers: readonly string[] = []): Promise<RawAnswer> {
    const connection = await RawConnection.open(server.client.url);
    connection.write([`${method} ${target} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n'));
    const answer = await connection.answer();
    connection.destroy();
    return answer;
  }

  it('is shown to who has no credential, or a wrong one', async () => {
    for (const target of ['/apidoc/', '/apidoc/?document=x', '/apidoc/page.js', 'https://other.example/apidoc/'])
      assert.equal((await ask('GET', target)).status, 200, target);
    assert.equal((await ask('GET', '/apidoc/', ['authorization: Bearer wrong'])).status, 200);
  });

  it('allows no other path, in any spelling', async () => {
    for (const target of targets) {
      const { status, body } = await ask('GET', target);
      assert.deepEqual(
        [status, body.toString().includes('Unauthorized')],
        [401, true],
        `${target}: ${status} ${body.toString().slice(0, 200)}`,
      );
    }
  });

  it('over HTTP/2 neither', async () => {
    const connection = await Http2Connection.open(server);
    try {
      assert.equal((await connection.send('GET', '/apidoc/', undefined, { authorization: '' })).status, 200);
      for (const target of targets.filter((t) => t.startsWith('/')))
        assert.equal(
          (await connection.send('GET', target, undefined, { authorization: 'Bearer wrong' })).status,
          401,
          target,
        );
    } finally {
      connection.close();
    }
  });

  it('is there to be read alone', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
      assert.equal((await ask(method, '/apidoc/', ['content-length: 0'])).status, 401, method);
  });

  it('grants no user, and keeps nothing that is sent to it', async () => {
    const mark = 'only-sent-once';
    const { status, body, headers } = await ask('GET', `/apidoc/?token=${mark}`, [
      `authorization: Bearer ${mark}`,
      `impersonate-user: ${mark}`,
      `cookie: ${mark}`,
      `x-forwarded-prefix: /${mark}`,
      `origin: https://${mark}`,
    ]);
    assert.equal(status, 200);
    assert.ok(!JSON.stringify(headers).includes(mark) && !body.toString().includes(mark));
    assert.equal(headers['set-cookie'], undefined);
  });
});

describe('the API page without its option', () => {
  it('is not there', async () => {
    const server = await startTestServer();
    try {
      for (const path of ['/apidoc', '/apidoc/', '/apidoc/page.js', '/swagger-ui/'])
        assert.deepEqual((await server.client.get(path)).status, 404, path);
    } finally {
      await server.stop();
    }
  });
});

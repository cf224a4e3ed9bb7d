/**
 * Requests that two readers could take for different ones: the server takes them for one or refuses them, and never
 * answers a hidden second.
 */
import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { sendFrames } from './http2-frames.ts';
import { RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe('smuggled requests', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    assert.equal(
      (await server.client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'hidden' } })).status,
      201,
    );
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const hidden = (): string =>
    `GET /api/v1/namespaces/default/secrets/hidden HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.client.token}\r\n\r\n`;
  const authorized = (): string =>
    `Host: x\r\nAuthorization: Bearer ${server.client.token}\r\nContent-Type: application/json\r\n`;

  /** Everything that came until the server hung up, or was quiet after its answer. */
  async function exchange(bytes: string): Promise<string> {
    const connection = await RawConnection.open(server.client.url);
    connection.write(Buffer.from(bytes, 'latin1'));
    await connection.until((text) => text.includes('\r\n\r\n'));
    // What would answer a second request has had its time once another connection has been served.
    for (let i = 0; i < 3; i++) await server.client.get('/version');
    const text = connection.received;
    connection.destroy();
    return text;
  }
  const answers = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);

  /** Heads whose length of body is a matter of opinion; the hidden request follows at once. */
  const lengths: readonly string[] = [
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: chunked, chunked\r\nTransfer-Encoding: x',
    'Transfer-Encoding : chunked',
    ' Transfer-Encoding: chunked',
    'Transfer-Encoding:\u000bchunked',
    'Transfer-Encoding: identity\r\nContent-Length: 5',
    'X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5',
    'X: y\rTransfer-Encoding: chunked',
    'Transfer-Encoding\u0000: chunked',
    'Content-Length: +5',
    'Content-Length: 0x5',
    'Content-Length: 5,5',
    'Content-Length: 5, 6',
    'Content-Length: 5 5',
    'Content-Length: 1e1',
    'Content-Length: -0',
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length: 18446744073709551616',
    'Content-Length: 9007199254740993',
    'Content-Length : 5',
    'Content-Length: ٥',
    'Content-Length: 5\r\n Content-Length: 6',
  ];

  it('behind a body of doubtful length are not answered', () =>
    whileServing(server, async () => {
      for (const length of lengths) {
        const text = await exchange(
          `POST ${maps}?dryRun=All HTTP/1.1\r\n${authorized()}${length}\r\n\r\n0\r\n\r\n${hidden()}`,
        );
        assert.match(answers(text).join(' '), /^4\d\d$/, `${JSON.stringify(length)}: ${text.slice(0, 300)}`);
        assert.ok(!text.includes('"hidden"'), JSON.stringify(length));
      }
    }));

  it('behind chunks of doubtful length are not answered', () =>
    whileServing(server, async () => {
      for (const chunk of [
        '0x0\r\n\r\n',
        '+0\r\n\r\n',
        '-0\r\n\r\n',
        '00000000000000000000x\r\n\r\n',
        ' 0\r\n\r\n',
        '0 1\r\n\r\n',
        '1\r\nab\r\n0\r\n\r\n',
        '2\r\na\r\n0\r\n\r\n',
        'ffffffffffffffff1\r\n\r\n',
        '0\n\n',
        '0;a\nb\r\n\r\n',
        '1\r\n{x0\r\n\r\n',
        '\r\n0\r\n\r\n',
        '1;\u0000\r\n{\r\n0\r\n\r\n',
      ]) {
        const text = await exchange(
          `POST ${maps}?dryRun=All HTTP/1.1\r\n${authorized()}Transfer-Encoding: chunked\r\n\r\n${chunk}${hidden()}`,
        );
        assert.ok(!text.includes('"hidden"'), `${JSON.stringify(chunk)}: ${text.slice(0, 300)}`);
        assert.ok(
          answers(text).every((status) => status.startsWith('4')),
          `${JSON.stringify(chunk)}: ${text.slice(0, 300)}`,
        );
      }
    }));

  it('in odd first lines and odd headers are not answered', () =>
    whileServing(server, async () => {
      const odd: readonly string[] = [
        `GET /version\tHTTP/1.1\r\n${authorized()}\r\n`,
        `GET\t/version HTTP/1.1\r\n${authorized()}\r\n`,
        `GET /version HTTP/1.1 x\r\n${authorized()}\r\n`,
        `GET /version HTTP/1.1\n${authorized()}\r\n`,
        `GET /version HTTP/1.1\r\nHost: x\nX: y\r\n\r\n`,
        `GET /version HTTP/1.1\r\nX: a\r\n b\r\n${authorized()}\r\n`,
        `GET /version HTTP/1.1\r\n\tX: a\r\n${authorized()}\r\n`,
        'GET /version HTTP/1.1\r\nX\r\n\r\n',
        `GET /version HTTP/1.1\r\n${authorized()}X Y: z\r\n\r\n`,
        `GET /version HTTP/1.1\r\n${authorized()}X: \u0000\r\n\r\n`,
        `GET /version HTTP/1.1\r\n${authorized()}X: \u0001\r\n\r\n`,
        'GET /version\r\n\r\n',
        'GET /version HTTP/0.9\r\n\r\n',
        'GET /version HTTP/1.10\r\n\r\n',
        'GET /version HTTP/01.1\r\nHost: x\r\n\r\n',
        'GET /version http/1.1\r\nHost: x\r\n\r\n',
        `GET /ver\u0000sion HTTP/1.1\r\n${authorized()}\r\n`,
      ];
      for (const bytes of odd) {
        const text = await exchange(`${bytes}${hidden()}`);
        const found = answers(text);
        assert.ok(
          found.length === 1 && found[0] === '400',
          `${JSON.stringify(bytes.slice(0, 60))}: ${found.join(' ')}`,
        );
        assert.ok(!text.includes('"hidden"'), JSON.stringify(bytes.slice(0, 60)));
      }
    }));

  it('that name no host, or several, are not answered', () =>
    whileServing(server, async () => {
      const credentials = `Authorization: Bearer ${server.client.token}\r\n`;
      const upgrade = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';
      for (const hosts of ['', 'Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n', 'Host: a\r\nX: y\r\nHOST: b\r\n']) {
        for (const target of ['/version', maps, '/api/v1/namespaces/default/pods/none/proxy/x']) {
          for (const more of ['', upgrade]) {
            const text = await exchange(`GET ${target} HTTP/1.1\r\n${credentials}${hosts}${more}\r\n${hidden()}`);
            assert.deepEqual(
              answers(text),
              ['400'],
              `${target} ${JSON.stringify(hosts + more)}: ${text.slice(0, 300)}`,
            );
            assert.match(text, /\r\nconnection: close\r\n/i);
          }
        }
      }
      assert.deepEqual(answers(await exchange(`GET /version HTTP/1.0\r\n${credentials}\r\n`)), ['200']);
    }));

  it('that come after a refused one stay unread', () =>
    whileServing(server, async () => {
      // Refused, or the body was too large: the rest of it is no request.
      const large = 4 * 1024 * 1024;
      const refused = await exchange(
        `POST ${maps} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: ${hidden().length}\r\n\r\n${hidden()}`,
      );
      assert.deepEqual([answers(refused)[0], refused.includes('"hidden"')], ['401', false]);
      const tooLarge = await exchange(
        `POST ${maps} HTTP/1.1\r\n${authorized()}Content-Length: ${large}\r\n\r\n${hidden()}`.padEnd(large, ' '),
      );
      assert.deepEqual([answers(tooLarge)[0], tooLarge.includes('"hidden"')], ['413', false]);
      const upgraded = await exchange(
        `GET /api/v1/namespaces/default/pods/none/exec?command=x HTTP/1.1\r\n${authorized()}Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n${hidden()}`,
      );
      assert.ok(!answers(upgraded)[0]?.startsWith('2') && !upgraded.includes('"hidden"'), upgraded.slice(0, 300));
    }));

  it('in trailers change nothing of the request', () =>
    whileServing(server, async () => {
      const body = '{"metadata":{"name":"t"}}';
      const text = await exchange(
        `POST ${maps}?dryRun=All HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nAuthorization: Bearer ${server.client.token}\r\nImpersonate-User: admin\r\nContent-Length: 5\r\n\r\n`,
      );
      assert.ok(['401', '403', '400'].includes(answers(text)[0] ?? ''), text.slice(0, 300));
    }));

  it('over HTTP/2, in headers that it forbids, are refused', () =>
    whileServing(server, async () => {
      const { url, token } = server.client;
      const usual = [
        [':method', 'GET'],
        [':scheme', 'https'],
        [':path', '/version'],
        [':authority', 'x'],
      ] as const;
      const authorization = ['authorization', `Bearer ${token}`] as const;
      assert.equal(await sendFrames(url, [...usual, authorization]), 'success');
      const odd: readonly (readonly (readonly [string, string])[])[] = [
        [...usual, ['connection', 'authorization'], authorization],
        [...usual, ['transfer-encoding', 'chunked'], authorization],
        [...usual, ['upgrade', 'websocket'], authorization],
        [...usual, ['keep-alive', 'x'], authorization],
        [...usual, ['proxy-connection', 'x'], authorization],
        [...usual, ['te', 'gzip'], authorization],
        [...usual, ['Authorization', `Bearer ${token}`]],
        [...usual, authorization, [':path', '/api']],
        [authorization, ...usual],
        [...usual, [':path', '/api'], authorization],
        [...usual, [':method', 'DELETE'], authorization],
        [...usual, [':user', 'admin'], authorization],
        [...usual, [':status', '200'], authorization],
        [[':method', 'GET'], [':scheme', 'https'], [':authority', 'x'], authorization],
        [[':method', 'GET'], [':path', '/version'], [':authority', 'x'], authorization],
        [[':scheme', 'https'], [':path', '/version'], [':authority', 'x'], authorization],
        [[':method', 'GET'], [':scheme', 'https'], [':path', ''], [':authority', 'x'], authorization],
        [[':method', 'GET /api HTTP/1.1\r\nx: '], ...usual.slice(1), authorization],
        [
          [':method', 'GET'],
          [':scheme', 'https'],
          [':path', '/version HTTP/1.1\r\nx: y'],
          [':authority', 'x'],
          authorization,
        ],
        [...usual, ['content-length', '5'], authorization],
        [...usual, ['content-length', '-1'], authorization],
        [...usual, ['content-length', '1'], ['content-length', '2'], authorization],
      ];
      for (const headers of odd) {
        const outcome = await sendFrames(url, headers);
        assert.notEqual(
          outcome,
          'success',
          JSON.stringify(headers.filter((header) => header !== authorization && !usual.includes(header as never))),
        );
      }
      // Single headers that are none are left out, and nothing is made of them.
      for (const header of [
        ['x', 'a\r\nauthorization: Bearer wrong'],
        ['x', 'a\u0000b'],
        ['x y', 'z'],
        ['x:y', 'z'],
        ['', 'z'],
        ['authorization\r\nx', 'Bearer wrong'],
      ] as const)
        assert.equal(await sendFrames(url, [...usual, authorization, header]), 'success', JSON.stringify(header));
      for (const header of [
        ['x', `a\r\nauthorization: Bearer ${token}`],
        ['authorization', `Bearer ${token}\r\nx: y`],
        ['authorization ', `Bearer ${token}`],
      ] as const) {
        const [[, method], ...rest] = usual;
        assert.equal(
          await sendFrames(url, [
            [':method', method],
            ...rest.map(([name, value]) => [name, name === ':path' ? '/api/v1/nodes' : value] as const),
            header,
          ]),
          'failure',
          JSON.stringify(header),
        );
      }
      for (const length of ['1', '100'])
        assert.notEqual(
          await sendFrames(
            url,
            [[':method', 'POST'], ...usual.slice(1), authorization, ['content-length', length]],
            '{}',
          ),
          'success',
          length,
        );
    }));
});

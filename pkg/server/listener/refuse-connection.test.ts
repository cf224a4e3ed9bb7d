import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { refuseConnection } from './refuse-connection.ts';

describe('refuseConnection', () => {
  let server: Server;
  let accept: (socket: Socket) => void;

  before(async () => {
    server = createServer((socket) => accept(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => new Promise((resolve) => void server.close(resolve)));

  /** The bytes that a client gets after input for which the server gives up with `code`. */
  async function answerTo(code: string | undefined): Promise<string> {
    accept = (socket) =>
      socket.once('data', () =>
        refuseConnection(Object.assign(new Error('told nobody'), code === undefined ? {} : { code }), socket),
      );
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('nonsense');
    let text = '';
    for await (const part of client) text += String(part);
    return text;
  }

  const answers: readonly (readonly [code: string | undefined, status: string, message: string])[] = [
    [
      'HPE_HEADER_OVERFLOW',
      '431 Request Header Fields Too Large',
      'the request line and headers are too large: limit is 262144',
    ],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large', 'the chunk extensions of the request are too large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'the request did not arrive in time'],
    ['HPE_INVALID_METHOD', '400 Bad Request', 'the request could not be read'],
    [undefined, '400 Bad Request', 'the request could not be read'],
  ];
  for (const [code, status, message] of answers) {
    it(`answers ${status} to ${code ?? 'an error without a code'}, and disconnects`, async () => {
      const [head = '', body = ''] = (await answerTo(code)).split('\r\n\r\n');
      assert.ok(head.startsWith(`HTTP/1.1 ${status}\r\n`), head);
      assert.match(head, new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close$`));
      const answer = JSON.parse(body);
      assert.deepEqual([answer.kind, answer.code, answer.message], ['Status', Number(status.slice(0, 3)), message]);
      assert.ok(!body.includes('told nobody'));
    });
  }

  it('sends nothing to a client that is gone', async () =>
    assert.equal(
      await answerTo('ECONNRESET').catch((error: Error & { code?: string }) =>
        error.code === 'ECONNRESET' ? '' : error.code,
      ),
      '',
    ));

  it('disconnects a client that keeps sending', async () => {
    const closed = new Promise<void>((resolve) => {
      accept = (socket) => {
        socket.once('data', () => refuseConnection(new Error('no'), socket));
        socket.on('error', () => undefined);
        socket.once('close', () => resolve());
      };
    });
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    const sending = setInterval(() => client.write('more'), 5);
    await closed;
    clearInterval(sending);
    client.destroy();
  });
});

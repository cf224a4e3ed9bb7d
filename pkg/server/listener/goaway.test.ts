import assert from 'node:assert/strict';
import http2, { constants, type ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { goaway } from './goaway.ts';

describe('goaway', () => {
  let server: http2.Http2Server;
  let session: ClientHttp2Session;
  let told: number[];
  let finish: () => void;

  /** `draws`: the random numbers, request by request. */
  async function serve(chance: number, ...draws: readonly number[]): Promise<void> {
    const left = [...draws];
    server = http2.createServer((request, response) => {
      response.writeHead(200);
      if (request.url === '/long') finish = () => response.end('whole');
      else response.end('whole');
    });
    server.on('session', (opened) => goaway(opened, chance, () => left.shift() ?? 1));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    told = [];
    session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    session.on('goaway', (code) => told.push(code));
  }
  afterEach(
    () =>
      new Promise((resolve) => {
        session.destroy();
        server.close(resolve);
      }),
  );

  async function ask(path: string, begun: () => void = () => undefined): Promise<string> {
    const stream = session.request({ ':path': path });
    stream.once('response', begun);
    let text = '';
    for await (const part of stream) text += String(part);
    return text;
  }

  it('sends GOAWAY at a randomly picked request, and answers it', async () => {
    await serve(0.02, 0.5, 0.02, 0.019);
    for (const expected of [[], [], [constants.NGHTTP2_NO_ERROR]]) {
      assert.equal(await ask('/'), 'whole');
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.deepEqual(told, expected);
    }
  });

  it('lets requests in flight finish, then ends the connection', async () => {
    await serve(1, 1, 0);
    const closed = new Promise<void>((resolve) => void session.once('close', () => resolve()));
    const long = new Promise<string>(
      (resolve, reject) =>
        void ask(
          '/long',
          () =>
            void ask('/')
              .then((text) => assert.equal(text, 'whole'))
              .catch(reject),
        ).then(resolve, reject),
    );
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    // Beyond the time after which the server accepts no more requests.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    assert.equal(session.destroyed, false);
    finish();
    assert.equal(await long, 'whole');
    await closed;
  });

  it('leaves connections alone that are not picked', async () => {
    await serve(0.02);
    for (let i = 0; i < 20; i++) assert.equal(await ask('/'), 'whole');
    assert.deepEqual([told, session.closed], [[], false]);
  });
});

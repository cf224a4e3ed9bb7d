import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import http from 'node:http';
import http2 from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import { badRequest, serverTimeout, type Status } from '../../apimachinery/errors/status-error.ts';
import { messageOf } from '../../codec/messages.ts';
import { decodeEnvelope } from '../../codec/protobuf/envelope.ts';
import { decodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import { parseYaml } from '../../codec/yaml.ts';
import { contextFor, serveHttp1, serveHttp2, type Loopback } from '../loopback-testing.ts';
import type { RequestContext } from '../request/request-context.ts';
import { renderJson, respondBytes, respondError, respondParts, respondPieces, respondText } from './respond.ts';

interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** One text per `Warning` header. */
  readonly warnings: string[];
  readonly body: Buffer;
}

/** An answer whose body waits to be read. */
interface Held {
  read(): Promise<Buffer>;
}

function getSlowly(port: number, path: string): Promise<Held> {
  return new Promise((resolve, reject) => {
    http
      .get({ port, host: '127.0.0.1', path, agent: false }, (response) => resolve({ read: () => buffer(response) }))
      .on('error', reject);
  });
}

async function getSlowlyOverHttp2(port: number, path: string): Promise<Held> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ':path': path });
  await once(stream, 'response');
  return { read: () => buffer(stream).finally(() => session.close()) };
}

describe('answers', () => {
  let loopback: Loopback;
  let respond: (context: RequestContext) => void | Promise<void>;
  let last: RequestContext;

  before(async () => {
    loopback = await serveHttp1((request, response) => {
      last = contextFor(request, response);
      void respond(last);
    });
  });
  after(() => loopback.close());

  function send(answer: typeof respond, headers: http.OutgoingHttpHeaders = {}, method = 'GET'): Promise<Answered> {
    respond = answer;
    return new Promise((resolve, reject) => {
      const request = http.request(
        { port: loopback.port, host: '127.0.0.1', path: '/api/v1/pods', method, headers },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              warnings: response.headersDistinct['warning'] ?? [],
              body: Buffer.concat(parts),
            }),
          );
        },
      );
      request.on('error', reject);
      request.end();
    });
  }

  it('carry an audit id, their length and no permission to be cached', async () => {
    const { status, headers, body } = await send((context) =>
      respondBytes(context, 201, 'application/json', Buffer.from('{}')),
    );
    assert.deepEqual([status, body.toString()], [201, '{}']);
    assert.deepEqual(
      [headers['audit-id'], headers['content-type'], headers['content-length'], headers['cache-control']],
      ['the-audit-id', 'application/json', '2', 'no-cache, private'],
    );
    assert.deepEqual([last.status, last.responseBytes, last.closed], [201, 2, true]);
  });

  it('to HEAD have headers alone', async () => {
    const { headers, body } = await send((context) => respondText(context, 200, 'ok'), {}, 'HEAD');
    assert.deepEqual([headers['content-length'], headers['x-content-type-options'], body.length], ['2', 'nosniff', 0]);
  });

  it('may come in pieces', async () => {
    const pieces = ['{"a":', '1', '}\n'].map((piece) => Buffer.from(piece));
    const { headers, body } = await send((context) => respondPieces(context, 200, 'application/json', pieces));
    assert.deepEqual([headers['content-length'], body.toString(), last.responseBytes], ['8', '{"a":1}\n', 8]);
    const head = await send((context) => respondPieces(context, 200, 'application/json', pieces), {}, 'HEAD');
    assert.deepEqual([head.headers['content-length'], head.body.length], ['8', 0]);
  });

  it('are dropped where the client is gone before they go out', async () => {
    const unheard: unknown[] = [];
    await assert.rejects(
      send((context) => {
        (context.response as ServerResponse).on('error', (error) => unheard.push(error));
        respondPieces(context, 200, 'text/plain', [Buffer.from('a'), Buffer.from('b')]);
        context.response.destroy();
      }),
    );
    await new Promise((resolve) => void setImmediate(resolve));
    assert.deepEqual(unheard, []);
  });

  it('go out together with their heads where the client still sends over HTTP/2', async () => {
    const ended: boolean[] = [];
    const front = await serveHttp2((request, response) => {
      respondText(contextFor(request, response), 503, 'no');
      ended.push(response.writableEnded);
    });
    const session = http2.connect(`http://127.0.0.1:${front.port}`);
    try {
      for (const method of ['POST', 'GET']) {
        const stream = session.request({ ':method': method, ':path': '/' }, { endStream: method === 'GET' });
        assert.equal((await buffer(stream)).toString(), 'no');
      }
      assert.deepEqual(ended, [true, false]);
    } finally {
      session.destroy();
      await front.close();
    }
  });

  it('wait for the end of the turn while they are small', async () => {
    const ended: boolean[] = [];
    for (const bytes of [0, 8191, 8192, 100_000]) {
      const { body } = await send((context) => {
        respondBytes(context, 200, 'text/plain', Buffer.alloc(bytes));
        ended.push(context.response.writableEnded);
      });
      assert.equal(body.length, bytes);
    }
    assert.deepEqual(ended, [false, false, true, true]);
  });

  it('are sent once', async () => {
    const { status, body } = await send((context) => {
      respondText(context, 200, 'first');
      respondText(context, 500, 'second');
      respondError(context, new Error('third'));
    });
    assert.deepEqual([status, body.toString(), last.status], [200, 'first', 200]);
  });

  describe('with warnings', () => {
    const warned = (...texts: string[]) =>
      send((context) => {
        for (const text of texts) context.warn(text);
        respondText(context, 200, '');
      });
    const cases = [
      ['plain text', '299 - "plain text"'],
      ['unknown field "a\\b"', String.raw`299 - "unknown field \"a\\b\""`],
      ['two\r\nSet-Cookie: x=y', '299 - "two  Set-Cookie: x=y"'],
      ['tab\tnul\u0000del\u007f', '299 - "tab nul del "'],
      ['ü\u{1F600}', '299 - "???"'],
    ] as const;
    for (const [text, header] of cases)
      it(`quote ${JSON.stringify(text)}`, async () => assert.deepEqual((await warned(text)).warnings, [header]));

    it('send each one once, in order', async () =>
      assert.deepEqual((await warned('b', 'a', 'b')).warnings, ['299 - "b"', '299 - "a"']));

    it('are cut where they are long', async () => {
      const { warnings, headers } = await warned(...Array.from({ length: 100 }, (_, i) => `${i}${'x'.repeat(2000)}`));
      assert.equal(headers['set-cookie'], undefined);
      assert.equal(warnings.length, 16);
      assert.ok(warnings.every((w) => w.length <= 256 + 8));
    });
  });

  describe('in parts', () => {
    const parts = (count: number, bytes: number) =>
      Array.from({ length: count }, (_, i) => Buffer.alloc(bytes, i % 251));
    const sendParts = (all: Buffer[], gzip: boolean, headers?: http.OutgoingHttpHeaders) => {
      const total = all.reduce((sum, part) => sum + part.length, 0);
      return send((context) => respondParts(context, 200, 'application/json', all, total, gzip), headers);
    };

    for (const [count, bytes] of [
      [0, 0],
      [1, 1],
      [3, 0],
      [1, 256 * 1024],
      [2, 128 * 1024],
      [1, 256 * 1024 + 1],
      [1, 1024 * 1024],
      [5000, 123],
      [7, 100_003],
    ] as const) {
      it(`arrive whole: ${count} of ${bytes} bytes`, async () => {
        const all = parts(count, bytes);
        const { headers, body } = await sendParts(all, false);
        assert.equal(headers['content-length'], String(count * bytes));
        assert.ok(body.equals(Buffer.concat(all)));
      });
    }

    it('arrive whole with texts among them, of any script and wherever a slab ends', async () => {
      const texts = [
        ...Array.from({ length: 9000 }, (_, i) => (i % 3 === 0 ? 'ü€\u{1F600}'.repeat(i % 11) : 'a'.repeat(i % 97))),
        'x€'.repeat(200_000),
        ...Array.from({ length: 200_000 }, () => '€'),
        'end',
      ];
      const pieces = texts.map((text, i) => (i % 4 === 0 ? Buffer.from(text) : text));
      const whole = Buffer.from(texts.join(''));
      for (const gzip of [false, true]) {
        const { body } = await send(
          (context) => respondParts(context, 200, 'application/json', pieces, whole.length, gzip),
          { 'accept-encoding': 'gzip' },
        );
        assert.ok((gzip ? gunzipSync(body) : body).equals(whole));
      }
    });

    it('arrive whole from pieces in one memory, of unknown length, several answers at a time', async () => {
      const memory = Buffer.alloc(100_000);
      function* piecesOf(answer: number): Generator<Uint8Array> {
        for (let i = 0; i < 400; i++) {
          const length = (i * 7919 + answer) % memory.length;
          yield memory.subarray(0, length).fill(48 + ((i + answer) % 10));
        }
      }
      const wholes = [0, 1, 2].map((answer) =>
        Buffer.concat(Array.from(piecesOf(answer), (piece) => Buffer.from(piece))),
      );
      for (const gzip of [false, true]) {
        let answers = 0;
        const answer = (context: RequestContext): Promise<void> =>
          respondParts(context, 200, 'application/json', piecesOf(answers++), undefined, gzip);
        const sent = await Promise.all(wholes.map(() => send(answer, { 'accept-encoding': 'gzip' })));
        const found = sent.map(({ headers, body }) => {
          assert.equal(headers['content-length'], undefined);
          const whole = gzip ? gunzipSync(body) : body;
          return wholes.findIndex((each) => each.equals(whole));
        });
        assert.deepEqual(found.sort(), [0, 1, 2]);
        assert.ok(wholes.some(({ length }) => length === last.responseBytes));
      }
    });

    const accepting: readonly (readonly [encoding: string | undefined, compressed: boolean])[] = [
      ['gzip', true],
      ['deflate, gzip;q=0.5', true],
      ['GZIP', true],
      ['*', true],
      ['gzip ; q=1.0', true],
      [undefined, false],
      ['', false],
      ['identity', false],
      ['gzip;q=0', false],
      ['gzip;q=0.0', false],
      ['xgzip', false],
      ['gzipped', false],
    ];
    for (const [encoding, compressed] of accepting) {
      it(`are ${compressed ? '' : 'not '}compressed for accept-encoding ${encoding ?? 'absent'}`, async () => {
        const all = parts(3, 100_000);
        const { headers, body } = await sendParts(
          all,
          true,
          encoding === undefined ? {} : { 'accept-encoding': encoding },
        );
        assert.deepEqual(
          [headers['content-encoding'], headers['vary'], headers['content-length']],
          compressed ? ['gzip', 'Accept-Encoding', undefined] : [undefined, undefined, '300000'],
        );
        assert.ok((compressed ? gunzipSync(body) : body).equals(Buffer.concat(all)));
      });
    }

    it('tell caches that compression makes a difference, in addition to the headers of filters', async () => {
      const all = parts(3, 100_000);
      const { headers } = await send(
        (context) => {
          context.response.setHeader('vary', 'Origin');
          return respondParts(context, 200, 'application/json', all, 300_000, true);
        },
        { 'accept-encoding': 'gzip' },
      );
      assert.equal(headers['vary'], 'Origin, Accept-Encoding');
    });

    it('are not compressed while short, nor where the gate is closed', async () => {
      assert.equal(
        (await sendParts(parts(1, 1000), true, { 'accept-encoding': 'gzip' })).headers['content-encoding'],
        undefined,
      );
      assert.equal(
        (await sendParts(parts(1, 300_000), false, { 'accept-encoding': 'gzip' })).headers['content-encoding'],
        undefined,
      );
    });

    it('end for a client that leaves', async () => {
      const part = Buffer.alloc(1024 * 1024);
      const finished = new Promise<void>((resolve) => {
        respond = async (context) => {
          await respondParts(
            context,
            200,
            'application/json',
            Array.from({ length: 200 }, () => part),
            200 * part.length,
            false,
          );
          resolve();
        };
      });
      http
        .get({ port: loopback.port, host: '127.0.0.1', path: '/' }, (response) => response.destroy())
        .on('error', () => undefined);
      assert.equal(
        await Promise.race([finished.then(() => 'finished'), delay(5000, 'stuck', { ref: false })]),
        'finished',
      );
    });
  });

  for (const [protocol, serve, get] of [
    ['HTTP/1.1', serveHttp1, getSlowly],
    ['HTTP/2', serveHttp2, getSlowlyOverHttp2],
  ] as const) {
    it(`are the same for a client that reads late, whatever other clients get meanwhile: ${protocol}`, async () => {
      const bytes = 24 * 1024 * 1024;
      const answers = await serve((request, response) => {
        const letter = request.url === '/late' ? 'a' : 'b';
        void respondParts(
          contextFor(request, response),
          200,
          'application/json',
          [letter.repeat(bytes / 2), Buffer.alloc(bytes / 2, letter)],
          bytes,
          false,
        );
      });
      try {
        const late = await get(answers.port, '/late');
        for (let n = 0; n < 4; n++)
          assert.ok((await (await get(answers.port, '/other')).read()).equals(Buffer.alloc(bytes, 'b')));
        assert.ok((await late.read()).equals(Buffer.alloc(bytes, 'a')));
      } finally {
        await answers.close();
      }
    });
  }

  describe('with errors', () => {
    const failing = (error: unknown, headers?: http.OutgoingHttpHeaders) =>
      send((context) => respondError(context, error), headers);

    it('are the Status of the error', async () => {
      const { status, headers, body } = await failing(badRequest('no'));
      assert.deepEqual([status, headers['content-type']], [400, 'application/json']);
      assert.deepEqual(JSON.parse(body.toString()), {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'no',
        reason: 'BadRequest',
        code: 400,
      });
    });

    it('contain nothing of internal errors', async () => {
      for (const error of [new Error('password=1234'), 'password=1234', undefined, null]) {
        const { status, body } = await failing(error);
        assert.equal(status, 500);
        assert.ok(!body.toString().includes('1234'));
        assert.equal((JSON.parse(body.toString()) as Status).reason, 'InternalError');
      }
    });

    it('say when to retry', async () =>
      assert.equal(
        (await failing(serverTimeout({ group: '', resource: 'pods' }, 'get', 7))).headers['retry-after'],
        '7',
      ));

    it('come in the form that the client accepts, or in JSON', async () => {
      const yaml = await failing(badRequest('no'), { accept: 'application/yaml' });
      assert.deepEqual(
        [yaml.headers['content-type'], (parseYaml(yaml.body.toString()) as Status).message],
        ['application/yaml', 'no'],
      );
      const { headers, body } = await failing(badRequest('no'), { accept: 'application/vnd.kubernetes.protobuf' });
      const { apiVersion, kind, raw } = decodeEnvelope(body);
      assert.deepEqual(
        [headers['content-type'], apiVersion, kind],
        ['application/vnd.kubernetes.protobuf', 'v1', 'Status'],
      );
      assert.equal(decodeProtobuf<Status>(messageOf('meta/v1.Status'), raw).message, 'no');
      for (const accept of ['text/html', 'application/json;as=Table;g=meta.k8s.io;v=v1'])
        assert.equal((await failing(badRequest('no'), { accept })).headers['content-type'], 'application/json');
    });

    it('break off an answer that has begun', async () => {
      const begun = send((context) => {
        (context.response as http.ServerResponse).write('{"items":[');
        respondError(context, new Error('too late'));
      });
      await assert.rejects(begun, { code: 'ECONNRESET' });
    });
  });
});

describe('renderJson', () => {
  const json = Buffer.from('{"b":9007199254740993,"a":"\\u0000bigint0\\u0000","c":"\\u0000bigint7\\u0000"}');
  it('leaves JSON alone', () => assert.equal(renderJson(json, { media: 'json', pretty: false }).body, json));
  it('makes it pretty, with every digit, and takes no text for a number', () => {
    const { contentType, body } = renderJson(json, { media: 'json', pretty: true });
    assert.equal(contentType, 'application/json');
    assert.equal(
      body.toString(),
      '{\n  "b": 9007199254740993,\n  "a": "\\u0000bigint0\\u0000",\n  "c": "\\u0000bigint7\\u0000"\n}\n',
    );
  });
  it('makes YAML of it', () => {
    const { contentType, body } = renderJson(json, { media: 'yaml', pretty: true });
    assert.equal(contentType, 'application/yaml');
    assert.deepEqual(parseYaml(body.toString()), {
      a: '\u0000bigint0\u0000',
      b: 9007199254740993n,
      c: '\u0000bigint7\u0000',
    });
  });
});

/**
 * Odd requests to every operation of the OpenAPI document: a mistake of the client's is never answered as one of the
 * server's. ODD_ROUNDS: more of them.
 */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { sampleNamespace } from '../../fixtures/sample-objects.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { whileServing } from '../bystander.ts';
import { OddInput, type OddRequest } from './odd-input.ts';
import { describeApi } from './operations.ts';

const rounds = Number(process.env['ODD_ROUNDS'] ?? 2);
const seed = Number(process.env['ODD_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const concurrency = 8;
const bodyBytesMax = 4096;

/** Answered in this way by stock servers too. `text`: in the answer. */
const expected: readonly {
  readonly status: number;
  readonly path: RegExp;
  readonly text?: RegExp;
  readonly why: string;
}[] = [
  { status: 500, path: /^\/api\/v1\/nodes\/[^/]+\/proxy/, why: 'a node that has told no address' },
  { status: 503, path: /^\/api\/v1\/namespaces\/[^/]+\/services\/[^/]+\/proxy/, why: 'a service without endpoints' },
  {
    status: 500,
    path: /\/(bindings|binding)(\?|$)/,
    text: /"message":"\[?target\.|message: .*target\./,
    why: 'stock servers return the problems of a binding as one plain error',
  },
];

/** A small generator with a seed (mulberry32). */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe(`odd requests to every operation with ODD_SEED=${seed}`, function () {
  this.timeout(rounds * 60_000 + 30_000);
  let server: TestServer;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  before(async () => {
    server = await startTestServer();
    await server.client.post('/api/v1/namespaces', { metadata: { name: sampleNamespace } });
  });
  after(async () => {
    agent.destroy();
    await server.stop();
  });

  /** Status and the beginning of the answer. A stream is left after its head. */
  function send({ method, path, headers, body }: OddRequest): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = server.client.url;
      const outgoing = request(
        {
          hostname,
          port,
          method,
          path,
          agent,
          rejectUnauthorized: false,
          headers: { authorization: `Bearer ${server.client.token}`, ...headers },
        },
        (answer) => {
          const status = answer.statusCode ?? 0;
          let text = '';
          answer.on('data', (chunk: Buffer) => {
            if (text.length < bodyBytesMax) text += chunk.toString('latin1');
          });
          answer.on('error', () => resolve({ status, text }));
          answer.on('end', () => resolve({ status, text }));
          if (status === 200 && /watch|follow/.test(path)) {
            resolve({ status, text });
            answer.destroy();
          }
        },
      );
      outgoing.setTimeout(30_000, () => outgoing.destroy(new Error(`no answer: ${method} ${path}`)));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  it(`gets no internal error from ${rounds} rounds of them`, async () => {
    const api = await describeApi(server.client);
    assert.ok(api.operations.length > 500);
    const random = randomOf(seed);
    const input = new OddInput(api, random);
    const wrong = new Map<string, string>();
    const statuses = new Map<number, number>();
    await whileServing(server, async () => {
      for (let round = 0; round < rounds; round++) {
        const waiting = api.operations.map((operation) => input.requestFor(operation)).toSorted(() => random() - 0.5);
        await Promise.all(
          Array.from({ length: concurrency }, async () => {
            for (let odd = waiting.pop(); odd !== undefined; odd = waiting.pop()) {
              const { status, text } = await send(odd).catch((error: Error) => ({ status: 599, text: error.message }));
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
              if (
                status < 500 ||
                expected.some(
                  (one) => one.status === status && one.path.test(odd.path) && (one.text?.test(text) ?? true),
                )
              )
                continue;
              wrong.set(
                `${odd.method} ${odd.path.replace(/\?.*/, '')} ${status}`,
                `${odd.method} ${odd.path}\n  ${JSON.stringify(odd.headers)}\n  ${odd.body?.toString().slice(0, 1500)}\n  ${status} ${text.slice(0, 600)}`,
              );
            }
          }),
        );
      }
    });
    for (const status of [200, 400, 404, 406, 415, 422])
      assert.ok(
        (statuses.get(status) ?? 0) > 10,
        `${status}: ${statuses.get(status)} of ${[...statuses.values()].join('+')}`,
      );
    if (process.env['ODD_TRACE'] !== undefined) console.log(Object.fromEntries(statuses), api.operations.length);
    assert.equal(wrong.size, 0, [...wrong.values()].slice(0, 20).join('\n\n'));
  });
});

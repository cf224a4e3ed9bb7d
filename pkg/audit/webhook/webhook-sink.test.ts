import assert from 'node:assert/strict';
import { startHttpsService, type HttpsService, type ServiceAnswer } from '../../net/https-service-testing.ts';
import { WebhookClient } from '../../webhooks/webhook-client.ts';
import { WebhookSink } from './webhook-sink.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';

const accepts: ServiceAnswer = (_request, response) => void response.writeHead(200).end();
const events = Buffer.from('{"items":[]}');

describe('WebhookSink', () => {
  let service: HttpsService;
  let sink: WebhookSink;
  const never = new AbortController().signal;

  before(async () => {
    service = await startHttpsService(accepts);
  });
  after(() => service.close());
  afterEach(() => sink.close());

  function open({ initialMs = 1, timeoutMs = 10_000 } = {}): WebhookSink {
    service.received.length = 0;
    const config = { server: new URL(`${service.url}/audit`), ca: service.ca, credentials: {} };
    sink = new WebhookSink({
      client: new WebhookClient({ config, timeoutMs, certificates: new DeprecatedCertificates() }),
      retry: { attempts: 5, initialMs, factor: 1, jitter: 0 },
    });
    return sink;
  }
  /** Runs one behavior after the other, the last one again and again. */
  function answersInTurn(...answers: ServiceAnswer[]): void {
    let next = 0;
    service.answerWith((request, response) => answers[Math.min(next++, answers.length - 1)]!(request, response));
  }

  const failures: readonly (readonly [name: string, answer: ServiceAnswer])[] = [
    ['answers 500', (_request, response) => void response.writeHead(500).end('broken')],
    ['answers 429', (_request, response) => void response.writeHead(429, { 'retry-after': '0' }).end()],
    ['refuses what it gets', (_request, response) => void response.writeHead(400).end()],
    ['closes the connection', (_request, response) => void response.socket!.destroy()],
    [
      'breaks off its answer',
      (_request, response) =>
        void response.writeHead(200, { 'content-length': '100' }).write('half', () => response.socket!.destroy()),
    ],
    ['redirects', (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
  ];
  for (const [name, answer] of failures) {
    it(`sends again to a service that ${name}, until it takes the events`, async () => {
      answersInTurn(answer, answer, accepts);
      await open().write(events, never);
      assert.deepEqual(
        service.received.map(({ path, body }) => [path, body]),
        Array.from({ length: 3 }, () => ['/audit', events.toString()]),
      );
    });

    it(`gives up on a service that ${name} for good`, async () => {
      answersInTurn(answer);
      await assert.rejects(
        open().write(events, never),
        (error: Error) => error.message.startsWith(`${service.url}/audit: `) && !error.message.includes('broken'),
      );
      assert.equal(service.received.length, 5);
    });
  }

  it('sends again to a service that does not answer in time', async () => {
    answersInTurn(() => undefined, accepts);
    await open({ timeoutMs: 100 }).write(events, never);
    assert.equal(service.received.length, 2);
  });

  it('ends with its signal while a service does not answer', async () => {
    const ended = new AbortController();
    answersInTurn(() => ended.abort());
    await assert.rejects(open().write(events, ended.signal));
    assert.equal(service.received.length, 1);
    await assert.rejects(sink.write(events, ended.signal));
    assert.equal(service.received.length, 1);
  });

  it('makes a few last attempts when there is not much time left', async () => {
    open({ initialMs: 3_600_000 });
    answersInTurn((_request, response) => {
      response.writeHead(500).end();
      setImmediate(() => sink.hurry());
    }, accepts);
    await sink.write(events, never);
    assert.equal(service.received.length, 2);
    service.received.length = 0;
    answersInTurn(failures[0]![1], failures[0]![1], accepts);
    await sink.write(events, never);
    assert.equal(service.received.length, 3);
    answersInTurn(failures[0]![1]);
    await assert.rejects(sink.write(events, never));
    assert.equal(service.received.length, 8);
  });
});

/**
 * What clients and backends say ends up in headers, for clients, for backends and in the log: it stays within the value
 * that it is.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { agentNetwork } from '../fixtures/node-agent/agent-network.ts';
import { NodeAgent } from '../fixtures/node-agent/node-agent.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { Http2Connection } from './http2-connection.ts';
import { head, RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const proxy = '/api/v1/nodes/n1/proxy';
/** Line ends as they could slip through: plain, encoded, and as characters whose last byte is one. */
const BREAKS = ['\r\n', '\n', '\r', '%0d%0a', '%0D%0A', '%E5%98%8D%E5%98%8A', '\u560d\u560a', '\u2028', '\u0085'];
const INJECTED = 'x-injected: yes';

describe('header injection', () => {
  let agent: NodeAgent;
  let server: TestServer;
  let log: string[];
  /** What the agent puts on its connection as an answer. */
  let raw: Buffer;

  before(async () => {
    log = [];
    agent = await NodeAgent.start({
      answer: (request) => {
        if (!request.url!.startsWith('/raw')) return false;
        (request.socket as Socket).end(raw);
        return true;
      },
    });
    server = await startTestServer({
      network: agentNetwork(),
      args: ['--v=3', '--cors-allowed-origins=.*'],
      onLog: (line) => log.push(line),
    });
    await server.client.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    await server.client.patch('/api/v1/nodes/n1/status', 'merge', {
      status: {
        addresses: [{ type: 'InternalIP', address: '192.0.2.10' }],
        daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
      },
    });
  });
  after(async () => {
    await server.stop();
    await agent.stop();
    assert.deepEqual(server.errors, []);
  });

  /** Everything that comes back for a request, until the server hangs up. */
  async function answerTo(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>> = {},
    body = '',
  ): Promise<string> {
    const connection = await RawConnection.open(server.client.url);
    connection.write(
      Buffer.from(head(method, target, server.client.token, { connection: 'close', ...headers }) + body),
    );
    const text = await connection.untilClosed();
    connection.destroy();
    return text;
  }

  /** One answer, none of whose lines is one that was smuggled in. */
  function expectWhole(text: string, what: string): void {
    assert.equal(text.match(/^HTTP\/1\.1 \d/gm)?.length, 1, `${what}: ${text.slice(0, 300)}`);
    const lines = text.slice(0, text.indexOf('\r\n\r\n')).split(/[\r\n]+/);
    assert.ok(
      lines.every((line) => !line.toLowerCase().startsWith('x-injected')),
      `${what}: ${lines.join(' | ')}`,
    );
    for (const line of lines) assert.match(line, /^[\t\x20-\x7e\x80-\xff]*$/, what);
  }

  it('does not get into answers by headers that are repeated there', () =>
    whileServing(server, async () => {
      for (const text of [...BREAKS, '\t', 'é', '"', 'x'.repeat(5000)]) {
        for (const name of [
          'audit-id',
          'origin',
          'accept',
          'accept-encoding',
          'content-type',
          'user-agent',
          'x-forwarded-for',
          'x-forwarded-host',
          'host',
        ]) {
          expectWhole(
            await answerTo('GET', maps, { [name]: `a${text}${INJECTED}` }),
            `${name}: ${JSON.stringify(text.slice(0, 20))}`,
          );
        }
      }
    }));

  it('does not get into answers by paths and queries', () =>
    whileServing(server, async () => {
      for (const text of BREAKS) {
        const part = `a${text}${INJECTED}`.replaceAll(/[ \r\n]/g, (character) => encodeURIComponent(character));
        for (const target of [
          `${maps}/${part}`,
          `${maps}?fieldSelector=${part}`,
          `${maps}?continue=${part}`,
          `/apis/${part}/v1/things`,
          `/${part}`,
          `/api/v1/nodes/${part}/proxy`,
          `${proxy}?${part}`,
          `${proxy}/${part}`,
        ]) {
          expectWhole(await answerTo('GET', target), target);
        }
      }
    }));

  it('does not get into warnings by names of fields', () =>
    whileServing(server, async () => {
      for (const text of ['\r\n', '\n', '\r', '"\r\n', '\\"\n', '\u560d\u560a', '\u0000', '\u0085']) {
        const body = JSON.stringify({ metadata: { name: 'm' }, [`a${text}${INJECTED}`]: 1 });
        const answer = await answerTo(
          'POST',
          `${maps}?dryRun=All&fieldValidation=Warn`,
          { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
          body,
        );
        expectWhole(answer, JSON.stringify(text));
        assert.match(answer, /^warning: 299 - "unknown field \\"a.*x-injected: yes\\""\r$/im, JSON.stringify(text));
      }
    }));

  it('does not get to backends by paths, queries and headers', () =>
    whileServing(server, async () => {
      for (const text of BREAKS) {
        const part = `a${text}${INJECTED}`.replaceAll(/[ \r\n]/g, (character) => encodeURIComponent(character));
        for (const [target, headers] of [
          [`${proxy}/${part}`, {}],
          [`${proxy}/metrics?${part}`, {}],
          [`${proxy}/metrics`, { 'x-own': `a${text}${INJECTED}` }],
          [`${proxy}/metrics`, { 'x-forwarded-for': `a${text}${INJECTED}` }],
          [`${proxy}/metrics`, { host: `a${text}${INJECTED}` }],
        ] as const) {
          await answerTo('GET', target, headers);
        }
      }
      assert.ok(agent.received.length > 0);
      for (const { url, headers } of agent.received) {
        // Over HTTP/1.1 a whole line end makes two headers of the client's own, which it may send anyway.
        if (headers['x-own'] === 'a' || String(headers['x-forwarded-for']).startsWith('a,') || headers.host === 'a')
          continue;
        assert.equal(headers['x-injected'], undefined, url);
      }
    }));

  it('does not get from backends into answers', () =>
    whileServing(server, async () => {
      const lines = [
        'x: a\nx-injected: yes',
        'x: a\rx-injected: yes',
        'x: a\u0000b',
        'x : y',
        ' x-injected: yes',
        'x\r\nx-injected',
        ': y',
        'location: /a\nx-injected: yes',
        'content-length: 1\r\ncontent-length: 2',
        'transfer-encoding: chunked\r\ncontent-length: 2',
      ];
      for (const line of lines) {
        raw = Buffer.from(`HTTP/1.1 200 OK\r\n${line}\r\nconnection: close\r\n\r\nok`, 'latin1');
        const text = await answerTo('GET', `${proxy}/raw`);
        expectWhole(text, JSON.stringify(line));
        assert.match(text, /^HTTP\/1\.1 503 /, JSON.stringify(line));
      }
    }));

  it('is no reason to leave a client without an answer', () =>
    whileServing(server, async () => {
      const http2 = await Http2Connection.open(server);
      for (const value of ['\u00e9', '\u0080', '\u00ff']) {
        raw = Buffer.from(`HTTP/1.1 200 OK\r\nx-own: a${value}\r\nconnection: close\r\n\r\nok`, 'latin1');
        assert.match(await answerTo('GET', `${proxy}/raw`), /^HTTP\/1\.1 (200|503) /, JSON.stringify(value));
        const { status } = await http2.send('GET', `${proxy}/raw`);
        assert.ok(status === 200 || status === 503, `${JSON.stringify(value)}: ${status}`);
      }
      http2.close();
    }));

  it('does not get into the log', () => {
    assert.ok(log.length > 100);
    for (const line of log) {
      assert.equal(line.indexOf('\n'), line.length - 1, line.slice(0, 300));
      assert.doesNotThrow(() => JSON.parse(line), line.slice(0, 300));
      assert.ok(!line.includes('\r'));
    }
  });
});

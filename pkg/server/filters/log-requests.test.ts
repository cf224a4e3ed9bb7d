import assert from 'node:assert/strict';
import { Logger } from '../../logging/logger.ts';
import type { Handler, RequestContext } from '../request/request-context.ts';
import { requestOf } from './filter-testing.ts';
import { logRequests } from './log-requests.ts';

const headers = { 'user-agent': 'kubectl/v1.32', authorization: 'Bearer topsecret' };
const contextOf = (method: string, url: string): RequestContext => requestOf(method, url, headers).context;

describe('logRequests', () => {
  let raw: string[];
  const open = (verbosity: number): Logger =>
    Logger.open({ verbosity, destination: { write: (line: string) => raw.push(line) } });
  const answer: Handler = async (context) => {
    context.status = 201;
    context.responseBytes = 77;
    context.user = { name: 'jo', groups: [] };
  };
  beforeEach(() => (raw = []));

  it('writes one line per request', async () => {
    await logRequests(open(3))(answer)(contextOf('POST', '/api/v1/namespaces/a/pods'));
    assert.equal(raw.length, 1);
    const { time, latencyMs, ...rest } = JSON.parse(raw[0]!) as Record<string, unknown>;
    assert.deepEqual(rest, {
      level: 'info',
      msg: 'request',
      verb: 'create',
      path: '/api/v1/namespaces/a/pods',
      status: 201,
      bytes: 77,
      auditId: '11-22',
      user: 'jo',
      userAgent: 'kubectl/v1.32',
      source: '127.0.0.1',
    });
    assert.equal(typeof time, 'string');
    assert.ok(typeof latencyMs === 'number' && latencyMs >= 0 && latencyMs < 1000);
  });

  it('shows known parameters of the query alone', async () => {
    await logRequests(open(3))(answer)(
      contextOf(
        'GET',
        '/api/v1/pods?limit=5&continue=eyJ2IjoibWV0YSJ9&access_token=hush-hush&hidden-in-name&command=cat%20/key&labelSelector=a%3Db',
      ),
    );
    assert.equal((JSON.parse(raw[0]!) as { query: string }).query, 'limit=5&continue=…&labelSelector=a=b&(3 more)');
    assert.doesNotMatch(raw[0]!, /hush|topsecret|eyJ|hidden-in-name|cat/);
  });

  it('writes the line of a request that fails too, and lets the failure pass', async () => {
    await assert.rejects(logRequests(open(3))(() => Promise.reject(new Error('gone')))(contextOf('GET', '/x')), /gone/);
    assert.equal((JSON.parse(raw[0]!) as { status: number }).status, 0);
  });

  it('cuts long paths', async () => {
    await logRequests(open(3))(answer)(contextOf('GET', `/${'a'.repeat(50_000)}`));
    assert.ok(raw[0]!.length < 2000);
  });

  it('does nothing below its verbosity', async () => {
    assert.equal(logRequests(open(2))(answer), answer);
    assert.deepEqual(raw, []);
  });
});

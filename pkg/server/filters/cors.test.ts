import assert from 'node:assert/strict';
import { respondBytes, respondText } from '../answers/respond.ts';
import { cors } from './cors.ts';
import { requestOf, sent, type RecordedAnswer } from './filter-testing.ts';

describe('cors', () => {
  async function ask(
    origins: readonly string[],
    method: string,
    headers: Record<string, string>,
  ): Promise<RecordedAnswer> {
    const { context, answer } = requestOf(method, '/version', headers);
    await cors(origins)(async (c) => respondText(c, 200, 'version'))(context);
    await sent();
    return answer;
  }
  const origin = 'https://ui.example.com';

  it('allows scripts of an allowed origin to read', async () => {
    const { status, headers, body } = await ask([String.raw`^https://ui\.example\.com$`], 'GET', { origin });
    assert.deepEqual(
      [
        status,
        body,
        headers['access-control-allow-origin'],
        headers['access-control-allow-credentials'],
        headers['vary'],
      ],
      [200, 'version', origin, 'true', 'Origin'],
    );
  });

  it('reads origins as stock servers do', async () => {
    for (const pattern of [String.raw`(?i)//UI\.example\.com(:|\z)`, 'x{0}https', '(?P<scheme>https?)://']) {
      assert.equal((await ask([pattern], 'GET', { origin })).headers['access-control-allow-origin'], origin, pattern);
    }
  });

  it('takes linear time for origins and any pattern', async () => {
    const { headers } = await ask([String.raw`^https://([a-z0-9-]*\.?)*example\.com$`], 'GET', {
      origin: `https://${'a.'.repeat(240)}!`,
    });
    assert.equal(headers['access-control-allow-origin'], undefined);
  });

  it('answers the preflight request', async () => {
    const { status, headers, body } = await ask(['example'], 'OPTIONS', {
      origin,
      'access-control-request-method': 'PUT',
    });
    assert.deepEqual([status, body], [204, '']);
    assert.match(headers['access-control-allow-methods']!, /PUT/);
    assert.match(headers['access-control-allow-headers']!, /Authorization/);
  });

  it('adds Origin to Vary for every client, beside other names', async () => {
    const varying = async (
      origins: readonly string[],
      headers: Record<string, string>,
    ): Promise<string | undefined> => {
      const { context, answer } = requestOf('GET', '/apis', headers);
      await cors(origins)(async (c) => respondBytes(c, 200, 'application/json', Buffer.from('{}'), { vary: 'Accept' }))(
        context,
      );
      await sent();
      return answer.headers['vary'];
    };
    for (const headers of [{ origin }, { origin: 'https://other.example' }, {}] as Record<string, string>[]) {
      assert.equal((await ask(['^https://ui'], 'GET', headers)).headers['vary'], 'Origin');
      assert.deepEqual(
        [await varying(['^https://ui'], headers), await varying([], headers)],
        ['Origin, Accept', 'Accept'],
      );
    }
  });

  const silent: readonly (readonly [what: string, origins: readonly string[], headers: Record<string, string>])[] = [
    ['without configured origins', [], { origin }],
    ['to another origin', [String.raw`^https://ui\.example\.com$`], { origin: 'https://ui.example.com.evil.example' }],
    ['without an origin', ['.*'], {}],
    ['to an endless origin', ['.*'], { origin: `https://${'a'.repeat(600)}` }],
  ];
  for (const [what, origins, headers] of silent) {
    it(`adds nothing ${what}`, async () => {
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await ask(origins, method, headers);
        assert.deepEqual(
          [answer.status, Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))],
          [200, []],
        );
      }
    });
  }
});

/**
 * Calls in the server's own process name their user and are not authenticated. Nothing that comes over a connection may
 * pass for one.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { HttpExchange } from '../../pkg/server/request/http-exchange.ts';
import type { RawRequest, RawResponse } from '../../pkg/server/request/request-context.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI } from '../fixtures/who-am-i.ts';

const ADMIN = { name: 'system:apiserver', groups: ['system:masters'] };
const NAMES = ['user', 'x-user', 'username', 'exchange', 'exchange-user', 'local', 'document', 'x-remote-user'];
const VALUES = ['system:apiserver', JSON.stringify(ADMIN), JSON.stringify({ user: ADMIN, local: true })];

describe('the user of calls in process', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ args: ['--authorization-mode=AlwaysAllow'] });
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  for (const http2 of [false, true]) {
    it(`is never given to clients that send its name over ${http2 ? 'HTTP/2' : 'HTTP/1.1'}`, async () => {
      const header = NAMES.flatMap((name) => VALUES.map((value) => [[name, value]] as const));
      const all = NAMES.map((name) => [name, VALUES[1]!] as const);
      for (const headers of [...header, all]) {
        const { user, status } = await whoAmI(server, { headers, http2 });
        assert.deepEqual([status, user?.username], [201, 'system:anonymous'], JSON.stringify(headers));
        assert.deepEqual(user?.groups, ['system:unauthenticated']);
      }
    });
  }

  it('is never given to clients that send it in a query or a body', async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const query = new URLSearchParams({ user: JSON.stringify(ADMIN), local: 'true', 'exchange.user': ADMIN.name });
    const body = { user: ADMIN, exchange: { user: ADMIN }, status: { userInfo: { username: ADMIN.name } } };
    const answer = await server.client.send('POST', `${path}?${query}`, { body, headers: { authorization: 'none' } });
    assert.equal(answer.json.status?.userInfo?.username, 'system:anonymous', JSON.stringify(answer.json));
  });

  it('is no property of a request or of its connection', () => {
    const request = Object.assign(Object.create({ user: ADMIN }), {
      user: ADMIN,
      local: {},
      document: {},
      headers: {},
      socket: { user: ADMIN },
    }) as RawRequest;
    const exchange = new HttpExchange(request, { user: ADMIN } as unknown as RawResponse);
    assert.deepEqual([exchange.user, exchange.local, exchange.document], [undefined, undefined, undefined]);
    for (const name of ['user', 'local', 'document'])
      assert.throws(() => Object.assign(exchange, { [name]: ADMIN }), TypeError);
  });

  it('is set by the client of this process alone', () => {
    const users = (call: string): string[] =>
      readdirSync('pkg', { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !/test\.ts$|testing\.ts$/.test(file))
        .filter((file) => readFileSync(`pkg/${file}`, 'utf8').includes(call));
    assert.deepEqual(users('new LocalExchange('), ['server/local/local-client.ts']);
    assert.deepEqual(users('new LocalClient('), ['server/api-server.ts']);
    assert.deepEqual(users('implements Exchange').sort(), [
      'server/local/local-exchange.ts',
      'server/request/http-exchange.ts',
    ]);
  });
});

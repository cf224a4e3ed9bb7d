import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';
import { Http2Connection } from './http2-connection.ts';
import { answerTo, head, RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const noSuchPath = { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' };

describe('tricks with paths', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    await server.client.post(maps, { metadata: { name: 'm' }, data: { a: 'b' } });
    await server.client.post('/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: 's' },
      stringData: { secret: 'word' },
    });
  });
  after(() => server.stop());

  /** As it is, without a client's help. */
  const raw = (method: string, target: string) =>
    answerTo(server.client.url, head(method, target, server.client.token));

  it('with empty segments find nothing', () =>
    whileServing(server, async () => {
      for (const target of [
        '/api/v1//namespaces/default/configmaps',
        '/api//v1/namespaces/default/configmaps',
        '/api/v1/namespaces//configmaps',
        '/api/v1/namespaces/default//configmaps/m',
        `${maps}//m`,
        `${maps}/m//`,
      ]) {
        expectRefusal(await raw('GET', target), noSuchPath);
        expectRefusal(await raw('DELETE', target), noSuchPath);
      }
      for (const target of ['//api/v1/namespaces', '//', '///', '/apis//', '//healthz'])
        assert.equal((await raw('GET', target)).status, 404, target);
    }));

  it('with segments behind a subresource find nothing', () =>
    whileServing(server, async () => {
      for (const target of [
        '/api/v1/namespaces/kube-system/status/x',
        '/api/v1/namespaces/kube-system/finalize/x',
        '/api/v1/namespaces/default/pods/p/status/exec',
        '/api/v1/namespaces/default/pods/p/log/x',
        '/api/v1/namespaces/default/pods/p/exec/x',
        '/apis/apps/v1/namespaces/default/deployments/d/scale/status',
      ]) {
        for (const method of ['GET', 'DELETE', 'POST']) expectRefusal(await raw(method, target), noSuchPath);
      }
    }));

  it('with steps in the path go nowhere', () =>
    whileServing(server, async () => {
      for (const step of ['..', '%2e%2e', '.%2E', '%2E.', '.', '%2e']) {
        for (const target of [
          `${maps}/${step}/m`,
          `${maps}/${step}/${step}/kube-system/secrets/s`,
          `/api/v1/namespaces/${step}/configmaps`,
          `/api/v1/namespaces/default/${step}/kube-system/secrets/s`,
          `/healthz/${step}/api/v1/namespaces`,
          `/openapi/v3/${step}/${step}/etc/passwd`,
        ]) {
          const answer = await raw('GET', target);
          assert.ok(answer.status === 404 || answer.status === 400, `${target}: ${answer.status}`);
          assert.ok(!answer.body.includes('secret'), target);
        }
        const name = decodeURIComponent(step);
        expectRefusal(await raw('GET', `${maps}/${step}`), {
          code: 400,
          reason: 'BadRequest',
          message: `Name parameter invalid: "${name}": may not be '${name}'`,
        });
        expectRefusal(await raw('DELETE', `${maps}/${step}`), { code: 400, reason: 'BadRequest' });
      }
    }));

  it('with encoded slashes stay one segment', () =>
    whileServing(server, async () => {
      for (const slash of ['%2f', '%2F']) {
        expectRefusal(await raw('GET', `${maps}/a${slash}b`), {
          code: 400,
          reason: 'BadRequest',
          message: `Name parameter invalid: "a/b": may not contain '/'`,
        });
        expectRefusal(await raw('GET', `${maps}/..${slash}..${slash}kube-system${slash}s`), {
          code: 400,
          reason: 'BadRequest',
        });
        expectRefusal(await raw('GET', `/api/v1/namespaces/kube-system${slash}secrets/configmaps`), {
          code: 400,
          reason: 'BadRequest',
          message: /^Namespace parameter invalid/,
        });
        assert.equal((await raw('GET', `/api${slash}v1/namespaces`)).status, 404);
      }
      expectRefusal(await raw('GET', `${maps}/a%5cb`), { code: 404, reason: 'NotFound' });
      expectRefusal(await raw('GET', `${maps}/a%252fb`), {
        code: 400,
        reason: 'BadRequest',
        message: /may not contain '%'/,
      });
    }));

  it('with bytes that are no text or no name find nothing', () =>
    whileServing(server, async () => {
      expectRefusal(await raw('GET', `${maps}/a%00b`), {
        code: 404,
        reason: 'NotFound',
        message: String.raw`configmaps "a\x00b" not found`,
      });
      for (const name of ['%0d%0aSet-Cookie:x', '%e2%80%ae', '%7f', '%20', '%22', '%3Cscript%3E', '%F0%9F%98%80'])
        expectRefusal(await raw('GET', `${maps}/${name}`), { code: 404, reason: 'NotFound' });
      for (const broken of ['%ff', '%c0%af', '%', '%zz', '%u002f', '%e2%82', '%ed%a0%80']) {
        const answer = await raw('GET', `${maps}/${broken}`);
        assert.ok(answer.status === 404 || answer.status === 400, `${broken}: ${answer.status}`);
        assert.equal(answer.json.kind, 'Status');
        expectRefusal(await raw('DELETE', `${maps}/${broken}`), { code: answer.status, reason: answer.json.reason });
      }
      for (const [method, target] of [
        ['POST', '/api/v1/namespaces/a%00b/configmaps'],
        ['PUT', `${maps}/a%00b`],
        ['DELETE', `${maps}/a%00b`],
        ['PATCH', `${maps}/a%00b`],
      ] as const) {
        const answer = await server.client.send(method, target, {
          body: method === 'PATCH' || method === 'DELETE' ? '{}' : '{"metadata":{}}',
          contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        });
        assert.ok(answer.status >= 400 && answer.status < 500, `${method}: ${answer.body}`);
      }
      assert.deepEqual((await server.client.get('/api/v1/namespaces/a%00b/configmaps')).json.items, []);
    }));

  it('that are very long are answered', () =>
    whileServing(server, async () => {
      const name = 'x'.repeat(100_000);
      expectRefusal(await server.client.get(`${maps}/${name}`), { code: 404, reason: 'NotFound' });
      expectRefusal(
        await server.client.send('PUT', `${maps}/${name}`, { body: JSON.stringify({ metadata: { name } }) }),
        { code: 404, reason: 'NotFound' },
      );
      expectRefusal(await server.client.post(maps, { metadata: { name } }), {
        code: 422,
        reason: 'Invalid',
        message: /must be no more than 253 characters/,
      });
      expectRefusal(await server.client.delete(`${maps}/${name}`), { code: 404, reason: 'NotFound' });
      assert.deepEqual((await server.client.get(`/api/v1/namespaces/${name}/configmaps`)).json.items, []);
      assert.deepEqual(
        (await server.client.get(`/api/v1/namespaces/${name}/configmaps?resourceVersion=1&resourceVersionMatch=Exact`))
          .json.items,
        [],
      );
      assert.equal((await server.client.get(`${maps}${'/x'.repeat(50_000)}`)).status, 404);
      assert.equal((await server.client.get('/'.repeat(100_000))).status, 404);
      assert.equal((await server.client.get(`/${'%2f'.repeat(50_000)}`)).status, 404);
      expectRefusal(await server.client.get(`${maps}/${'x'.repeat(300_000)}`), {
        code: 431,
        message: 'the request line and headers are too large: limit is 262144',
      });
    }));

  it('in the absolute form mean the path', () =>
    whileServing(server, async () => {
      for (const origin of ['https://localhost', 'http://elsewhere.example:80', 'HTTPS://user@host']) {
        assert.equal((await raw('GET', `${origin}${maps}/m`)).json.data?.a, 'b', origin);
        assert.equal((await raw('GET', `${origin}?x=1`)).status, 200);
      }
      for (const target of ['*', 'api/v1', 'ftp://x/api/v1/namespaces', '?', '#']) {
        const connection = await RawConnection.open(server.client.url);
        connection.write(head(target === '*' ? 'OPTIONS' : 'GET', target, server.client.token));
        const answer = await connection.answer();
        assert.ok([400, 404, 405].includes(answer.status), `${target}: ${answer.status}`);
        connection.destroy();
      }
    }));

  it('over HTTP/2 are read the same way', () =>
    whileServing(server, async () => {
      const connection = await Http2Connection.open(server);
      expectRefusal(await connection.send('GET', '/api/v1//namespaces'), noSuchPath);
      expectRefusal(await connection.send('GET', `${maps}/a%2fb`), {
        code: 400,
        reason: 'BadRequest',
        message: `Name parameter invalid: "a/b": may not contain '/'`,
      });
      expectRefusal(await connection.send('GET', `${maps}/..`), { code: 400, reason: 'BadRequest' });
      // HTTP/2 has one form of paths; streams with another one are reset.
      for (const target of ['api/v1', `https://localhost${maps}/m`])
        await assert.rejects(connection.send('GET', target), /reset/);
      assert.equal((await connection.send('GET', `${maps}/m`)).json.data?.a, 'b');
      connection.close();
    }));
});

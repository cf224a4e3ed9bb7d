import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const maps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const invalid = (rest: string | RegExp) => ({
  code: 400,
  reason: 'BadRequest',
  message: typeof rest === 'string' ? `invalid continue token: continue key is not valid: ${rest}` : rest,
});

describe('continue tokens', () => {
  let server: TestServer;
  let other: TestServer;

  before(async () => {
    [server, other] = await Promise.all([startTestServer(), startTestServer()]);
    for (const { client } of [server, other]) {
      for (const namespace of ['aaa', 'mmm', 'zzz']) {
        await client.post('/api/v1/namespaces', { metadata: { name: namespace } });
        for (let i = 0; i < 6; i++) await client.post(maps(namespace), { metadata: { name: `m${i}` } });
      }
    }
    // The other server is far ahead.
    for (let i = 0; i < 50; i++) await other.client.patch(`${maps('aaa')}/m0`, 'merge', { data: { i: String(i) } });
  });
  after(async () => {
    await server.stop();
    await other.stop();
  });

  const list = (namespace: string, token: string, more = '') =>
    server.client.get(`${maps(namespace)}?limit=2&continue=${encodeURIComponent(token)}${more}`);
  const forge = (fields: unknown): string =>
    Buffer.from(typeof fields === 'string' ? fields : JSON.stringify(fields)).toString('base64url');
  const names = (answer: { json: any }): string[] =>
    answer.json.items.map((i: any) => `${i.metadata.namespace}/${i.metadata.name}`);
  const revision = async (): Promise<number> =>
    Number((await server.client.get(maps('zzz'))).json.metadata.resourceVersion);

  it('that are no tokens are refused', () =>
    whileServing(server, async () => {
      const cases: Record<string, string | RegExp> = {
        nonsense: String.raw`invalid character '\u009e' looking for beginning of value`,
        '!!!': 'illegal base64 data at input byte 0',
        [forge('[]')]: /cannot unmarshal/,
        [forge('{"v":"meta.k8s.io/v1","rv":"1","start":"a"}')]: /cannot unmarshal/,
        [forge({ v: 'v9', rv: 1, start: 'a' })]: 'server does not recognize this encoded version v9',
        [forge({ v: 'meta.k8s.io/v1', start: 'a' })]:
          'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
        [forge({ v: 'meta.k8s.io/v1', rv: 1 })]: 'encoded start key empty (version meta.k8s.io/v1)',
        [forge(`${'['.repeat(100_0)}`)]: /invalid continue token/,
        [forge(`{"__proto__":{"v":"meta.k8s.io/v1","rv":1,"start":"a"}}`)]:
          'server does not recognize this encoded version ',
        [forge({ v: 'meta.k8s.io/v1', rv: 1e300, start: 'a' })]: /cannot unmarshal/,
      };
      for (const [token, message] of Object.entries(cases)) expectRefusal(await list('mmm', token), invalid(message));
    }));

  it('with tricks in their path are refused', () =>
    whileServing(server, async () => {
      for (const start of [
        '../secrets/x',
        '/../../x',
        'mmm/../zzz/m0\0',
        'mmm//m0',
        '.',
        '..',
        '/',
        'mmm/./m0',
        'mmm/m0/',
      ]) {
        expectRefusal(
          await list('mmm', forge({ v: 'meta.k8s.io/v1', rv: await revision(), start })),
          invalid(`${start}`),
        );
      }
    }));

  it('cannot leave their namespace or resource', () =>
    whileServing(server, async () => {
      for (const start of ['aaa/m0\0', 'aaa\0', '\0', 'mmm/m5\0', 'mmm', 'nnn/x', 'zzz/m0\0', '\u{10ffff}', 'm5\0']) {
        for (const rv of [await revision(), -1]) {
          const answer = await server.client.get(
            `${maps('mmm')}?continue=${forge({ v: 'meta.k8s.io/v1', rv, start })}`,
          );
          assert.equal(answer.status, 200, answer.body.toString());
          for (const name of names(answer)) assert.match(name, /^mmm\//, `start ${JSON.stringify(start)}`);
        }
      }
      const first = await server.client.get(`${maps('aaa')}?limit=2`);
      const elsewhere = await list('mmm', first.json.metadata.continue);
      for (const name of names(elsewhere)) assert.match(name, /^mmm\//);
      const secrets = await server.client.get(
        `/api/v1/namespaces/mmm/secrets?continue=${first.json.metadata.continue}`,
      );
      assert.deepEqual(secrets.json.items, []);
    }));

  it('of another server bring a new list or its right chunk, never nonsense', () =>
    whileServing(server, async () => {
      const ahead = (await other.client.get(`${maps('mmm')}?limit=2`)).json.metadata.continue;
      for (const rv of [undefined, 2 ** 53 - 1, 1_000_000_000]) {
        const token = rv === undefined ? ahead : forge({ v: 'meta.k8s.io/v1', rv, start: 'm1\0' });
        expectRefusal(await list('mmm', token), {
          code: 410,
          reason: 'Expired',
          message: /^The provided continue parameter is too old/,
        });
      }
      expectRefusal(await list('mmm', ahead, '&resourceVersion=5'), {
        code: 400,
        reason: 'BadRequest',
        message: 'specifying resource version is not allowed when using continue',
      });
      const past = await list('mmm', forge({ v: 'meta.k8s.io/v1', rv: -7, start: 'm1\0' }));
      assert.deepEqual(names(past), ['mmm/m2', 'mmm/m3']);
    }));

  it('that are very long are refused', () =>
    whileServing(server, async () => {
      expectRefusal(
        await list('mmm', forge({ v: 'meta.k8s.io/v1', rv: await revision(), start: `mmm/${'../'.repeat(10_000)}` })),
        { code: 400, reason: 'BadRequest', message: /^invalid continue token/ },
      );
      const long = await list(
        'mmm',
        forge({ v: 'meta.k8s.io/v1', rv: await revision(), start: `mmm/${'x'.repeat(30_000)}` }),
      );
      assert.ok(long.status === 200 || long.status === 400, long.body.toString().slice(0, 300));
    }));

  it('of a delete hit nothing else', () =>
    whileServing(server, async () => {
      const token = forge({ v: 'meta.k8s.io/v1', rv: await revision(), start: 'aaa/m0\0' });
      const deleted = await server.client.delete(`${maps('mmm')}?limit=100&dryRun=All&continue=${token}`);
      assert.equal(deleted.status, 200, deleted.body.toString());
      for (const name of names(deleted)) assert.match(name, /^mmm\//);
    }));
});

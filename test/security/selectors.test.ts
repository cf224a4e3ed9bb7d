import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';
import { Http2Connection } from './http2-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const encode = encodeURIComponent;

describe('bad selectors', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    for (let i = 0; i < 50; i++)
      await server.client.post(maps, { metadata: { name: `m${i}`, labels: { app: `a${i % 5}` } } });
  });
  after(() => server.stop());

  const everyUse = async (query: string, message: string | RegExp): Promise<void> => {
    const refusal = { code: 400, reason: 'BadRequest', message };
    expectRefusal(await server.client.get(`${maps}?${query}`), refusal);
    expectRefusal(await server.client.get(`${maps}?watch=true&${query}`), refusal);
    expectRefusal(await server.client.delete(`${maps}?${query}`), refusal);
  };

  it('of labels are refused in lists, watches and deletes', () =>
    whileServing(server, async () => {
      const cases: Record<string, string | RegExp> = {
        'a=b=c': "found '=', expected: ',' or 'end of string'",
        'a in': "unable to parse requirement: found '' expected: '('",
        'a in (b': /^unable to parse requirement: found '', expected: ',' or '\)'$/,
        '(': /found '\(', expected: !, identifier, or 'end of string'/,
        'a,,b': "found ',', expected: identifier after ','",
        'a>x': /for 'Gt', 'Lt' operators, the value must be an integer/,
        '-a=b': /Invalid value: "-a"/,
        [`a=${'x'.repeat(64)}`]: /must be no more than 63 characters/,
        'a=b\u0000': /Invalid value/,
        '!': /unable to parse requirement/,
        'é=1': /Invalid value/,
      };
      for (const [selector, message] of Object.entries(cases))
        await everyUse(`labelSelector=${encode(selector)}`, message);
    }));

  it('of fields are refused in lists, watches and deletes', () =>
    whileServing(server, async () => {
      const cases: Record<string, string | RegExp> = {
        'metadata.name': "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
        'data.k=v': '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
        'metadata.name=a\\x': /invalid field selector: invalid escape sequence: \\x/,
        'metadata.name=a=b': /invalid field selector: unescaped character in value/,
        '=x': /"" is not a known field selector/,
      };
      for (const [selector, message] of Object.entries(cases))
        await everyUse(`fieldSelector=${encode(selector)}`, message);
      for (const name of ['../../pods', 'a/b', '..', '', '%00', '\u0000', 'm0/']) {
        const list = await server.client.get(`${maps}?fieldSelector=${encode(`metadata.name=${name}`)}`);
        assert.equal(list.status, 200, `${name}: ${list.body}`);
        assert.deepEqual(list.json.items, [], name);
      }
    }));

  it('of a megabyte get an answer', () =>
    whileServing(server, async () => {
      const connection = await Http2Connection.open(server);
      for (const [parameter, selector] of [
        ['labelSelector', 'a'.repeat(1_000_000)],
        ['labelSelector', 'a,'.repeat(500_000)],
        ['labelSelector', `a in (${'b,'.repeat(400_000)}c)`],
        ['labelSelector', '('.repeat(1_000_000)],
        ['fieldSelector', 'metadata.name=a,'.repeat(60_000)],
        ['fieldSelector', '\\'.repeat(1_000_000)],
      ] as const) {
        const target = `${maps}?${parameter}=${encode(selector)}`;
        const answer = await server.client.get(target);
        assert.equal(answer.status, 431);
        // A frame of headers this large ends its stream, at most its connection.
        await connection.send('GET', target).then(
          (a) => assert.equal(a.status, 431),
          () => undefined,
        );
      }
      connection.close();
    }));

  it('as long as a request can be are answered in time', () =>
    whileServing(server, async () => {
      const length = 60_000;
      for (const [selector, status] of [
        ['a,'.repeat(length / 2 - 1) + 'a', 400],
        ['a,'.repeat(255) + 'a', 200],
        [`a in (${'b,'.repeat(length / 2 - 10)}c)`, 200],
        ['!'.repeat(length), 400],
        ['('.repeat(length), 400],
        ['='.repeat(length), 400],
        [' '.repeat(length / 4), 200],
        [`${'a/'.repeat(length / 2)}`, 400],
        [`${'a.'.repeat(length / 2)}/b`, 400],
      ] as const) {
        const answer = await server.client.get(`${maps}?labelSelector=${selector.replaceAll(' ', '+')}`);
        assert.equal(answer.status, status, `${selector.slice(0, 20)}: ${answer.body.subarray(0, 300)}`);
      }
      assert.equal((await server.client.get(`${maps}?fieldSelector=${'metadata.name!=a,'.repeat(3000)}`)).status, 400);
      const fields = await server.client.get(`${maps}?fieldSelector=${'metadata.name!=a,'.repeat(256)}`);
      assert.equal(fields.status, 200);
      assert.equal(
        fields.json.items.filter((i: { metadata: { name: string } }) => i.metadata.name.startsWith('m')).length,
        50,
      );
    }));
});

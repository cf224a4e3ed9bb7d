import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const path = '/api/v1/namespaces/default/configmaps';

describe('unknown and duplicate fields', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const create = (text: string, validation: string, contentType = 'application/json') =>
    server.client.send('POST', `${path}?dryRun=All&fieldValidation=${validation}`, { body: text, contentType });
  const json = '{"metadata":{"name":"f","bogus":1},"data":{"a":"1","a":"2"},"what":{"ever":[1]}}';
  const yaml = 'metadata:\n  name: f\n  bogus: 1\ndata:\n  a: "1"\n  a: "2"\nwhat:\n  ever: [1]\n';

  it('ignores them when set to', () =>
    whileServing(server, async () => {
      for (const [text, type] of [
        [json, 'application/json'],
        [yaml, 'application/yaml'],
      ] as const) {
        const answer = await create(text, 'Ignore', type);
        assert.equal(answer.status, 201, answer.body.toString());
        assert.deepEqual(answer.json.data, { a: '2' });
        assert.ok(!('what' in answer.json) && !('bogus' in answer.json.metadata));
        assert.equal(answer.headers['warning'], undefined);
      }
    }));

  it('warns of each, which is the default', () =>
    whileServing(server, async () => {
      for (const validation of ['Warn', '']) {
        const answer = await create(json, validation);
        assert.equal(answer.status, 201);
        const warnings = String(answer.headers['warning']);
        for (const warning of [
          String.raw`299 - "unknown field \"metadata.bogus\""`,
          String.raw`299 - "unknown field \"what\""`,
          String.raw`299 - "duplicate field \"data.a\""`,
        ])
          assert.ok(warnings.includes(warning), warnings);
      }
      const answer = await create(yaml, 'Warn', 'application/yaml');
      assert.equal(answer.status, 201);
      assert.match(String(answer.headers['warning']), /key \\"a\\" already set in map/);
    }));

  it('refuses them when set to', () =>
    whileServing(server, async () => {
      const head = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ';
      const refused = await create(json, 'Strict');
      expectRefusal(refused, { code: 400, reason: 'BadRequest' });
      assert.deepEqual(
        new Set(refused.json.message.slice(head.length).split(', ')),
        new Set(['duplicate field "data.a"', 'unknown field "metadata.bogus"', 'unknown field "what"']),
      );
      expectRefusal(await create(yaml, 'Strict', 'application/yaml'), {
        code: 400,
        reason: 'BadRequest',
        message:
          /^ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: .*key "a" already set in map/s,
      });
      expectRefusal(await create('{"metadata":{"name":"f"},"data":{},"data":{}}', 'Strict'), {
        code: 400,
        reason: 'BadRequest',
        message: `${head}duplicate field "data"`,
      });
    }));

  it('knows no other validation', () =>
    whileServing(server, async () => {
      expectRefusal(await create('{}', 'Nonsense'), {
        code: 422,
        reason: 'Invalid',
        message: /fieldValidation: Unsupported value: "Nonsense": supported values: "", "Ignore", "Strict", "Warn"/,
      });
    }));

  it('bounds what it says of very many, and of very long ones', () =>
    whileServing(server, async () => {
      const many = JSON.stringify({
        metadata: { name: 'f' },
        ...Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`bogus${i}`, 1])),
      });
      const long = JSON.stringify({ metadata: { name: 'f' }, ['x'.repeat(2_000_000)]: 1 });
      for (const text of [many, long]) {
        const warned = await create(text, 'Warn');
        assert.equal(warned.status, 201);
        assert.ok(
          String(warned.headers['warning']).length < 8192,
          `${String(warned.headers['warning']).length} characters of warnings`,
        );
        const refused = await create(text, 'Strict');
        expectRefusal(refused, { code: 400, reason: 'BadRequest', message: /strict decoding error: unknown field "/ });
        assert.ok(refused.body.length < 300_000, `${refused.body.length} bytes`);
      }
    }));

  it('reports an unknown field and not what is in it, however long or deep its path', () =>
    whileServing(server, async () => {
      const below = (open: string, close: string) =>
        `{"metadata":{"name":"f"},${open}${Array.from({ length: 100_000 }, (_, i) => `"k${i % 200}":1`).join(',')}${close}}`;
      const longPath = below(`"${'x'.repeat(1_000_000)}":{`, '}');
      const deepPath = below('"a":{'.repeat(400), '}'.repeat(400));
      for (const text of [longPath, deepPath]) {
        const refused = await create(text, 'Strict');
        expectRefusal(refused, {
          code: 400,
          reason: 'BadRequest',
          message: /strict decoding error: unknown field "[^,]*$/,
        });
        assert.ok(refused.body.length < 600_000, `${refused.body.length} bytes`);
      }
    }));

  it('holds patches to the same', () =>
    whileServing(server, async () => {
      await server.client.post(path, { metadata: { name: 'patched' }, data: { a: '1' } });
      const patch = (type: 'json' | 'merge' | 'strategic', body: unknown, validation: string) =>
        server.client.send('PATCH', `${path}/patched?fieldValidation=${validation}`, {
          body,
          contentType: {
            json: 'application/json-patch+json',
            merge: 'application/merge-patch+json',
            strategic: 'application/strategic-merge-patch+json',
          }[type],
        });
      for (const type of ['merge', 'strategic'] as const) {
        expectRefusal(await patch(type, { bogus: 1 }, 'Strict'), {
          code: 422,
          reason: 'Invalid',
          message: /strict decoding error: unknown field "bogus"/,
        });
        expectRefusal(await patch(type, '{"data":{"a":"2"},"data":{"a":"3"}}', 'Strict'), {
          code: 422,
          reason: 'Invalid',
          message: /strict decoding error: duplicate field "data"/,
        });
        assert.match(String((await patch(type, { bogus: 1 }, 'Warn')).headers['warning']), /unknown field/);
        assert.equal((await patch(type, { bogus: 1 }, 'Ignore')).headers['warning'], undefined);
      }
      expectRefusal(await patch('json', [{ op: 'add', path: '/bogus', value: 1 }], 'Strict'), {
        code: 422,
        reason: 'Invalid',
        message: /strict decoding error: unknown field "bogus"/,
      });
      expectRefusal(await patch('json', [{ op: 'test', path: '/data/a', value: '1', paht: 1 }], 'Strict'), {
        code: 422,
        reason: 'Invalid',
        message: /strict decoding error: unknown field "\[0\]\.paht"/,
      });
      assert.deepEqual((await server.client.get(`${path}/patched`)).json.data, { a: '1' });
    }));
});

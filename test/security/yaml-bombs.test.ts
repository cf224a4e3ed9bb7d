import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const path = '/api/v1/namespaces/default/configmaps';

describe('YAML made to explode', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const refused = async (text: string, reason: RegExp): Promise<void> => {
    const answer = await server.client.send('POST', path, { body: text, contentType: 'application/yaml' });
    expectRefusal(answer, {
      code: 400,
      reason: 'BadRequest',
      message: /^the object provided is unrecognized \(must be of type ConfigMap\): yaml: /,
    });
    assert.match(answer.json.message, reason);
    assert.ok(answer.body.length < 2000, `${answer.body.length} bytes`);
  };

  it('bounds what aliases stand for', () =>
    whileServing(server, async () => {
      const laughs = [
        'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
        ...Array.from(
          { length: 9 },
          (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join(', ')}]`,
        ),
      ].join('\n');
      await refused(laughs, /excessive aliasing/);
      const maps = [
        'm0: &m0 {k: v}',
        ...Array.from({ length: 25 }, (_, i) => `m${i + 1}: &m${i + 1} {a: *m${i}, b: *m${i}}`),
      ].join('\n');
      await refused(maps, /excessive aliasing/);
      const long = `a: &a ${'x'.repeat(1_000_000)}\ndata: {${Array.from({ length: 90 }, (_, i) => `k${i}: *a`).join(', ')}}`;
      await refused(long, /excessive aliasing/);
      // Not far beyond what a body may hold.
      await refused(
        `a: &a ${'x'.repeat(200_000)}\ndata: {${Array.from({ length: 20 }, (_, i) => `k${i}: *a`).join(', ')}}`,
        /excessive aliasing/,
      );
    }));

  it('bounds the number of aliases and merge keys', () =>
    whileServing(server, async () => {
      await refused(`a: &a x\nb: [${Array.from({ length: 100_000 }, () => '*a').join(', ')}]`, /alias/);
      const merges = [
        'm0: &m0 {k0: v}',
        ...Array.from({ length: 2000 }, (_, i) => `m${i + 1}: &m${i + 1}\n  <<: *m${i}\n  k${i + 1}: v`),
      ].join('\n');
      await refused(merges, /alias|merge/i);
      await refused('a: &a\n  b: *a\n', /excessive aliasing/);
    }));

  it('bounds the depth', () =>
    whileServing(server, async () => {
      for (const text of [
        `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
        `${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}`,
        `${'- '.repeat(10_000)}x`,
        '['.repeat(1_000_000),
      ])
        await refused(text, /depth/i);
      const indented = Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
      await refused(indented, /depth/i);
    }));

  it('takes long scalars, keys and lists in its stride', () =>
    whileServing(server, async () => {
      for (const text of [
        `${'a'.repeat(2_500_000)}: `,
        `"${String.raw`\x41`.repeat(600_000)}`,
        `${'#'.repeat(2_900_000)}\n- x`,
        `${'\n'.repeat(2_900_000)}x`,
        `${'? '.repeat(900)}x`,
        `a: ${'!'.repeat(2_000_000)} x`,
        `a: ${'9'.repeat(1_000_000)}\nkind: 1`,
        `a: 0x${'f'.repeat(1_000_000)}\nkind: 1`,
        `a: ${'1_'.repeat(500_000)}\nkind: 1`,
        `a: ${'1:'.repeat(500_000)}\nkind: 1`,
      ]) {
        const answer = await server.client.send('POST', path, { body: text, contentType: 'application/yaml' });
        assert.ok(
          answer.status === 400 || answer.status === 422,
          `${answer.status} ${answer.body.subarray(0, 300)} for ${text.slice(0, 20)}`,
        );
        assert.equal(answer.json.kind, 'Status');
      }
      const flat = `kind: ConfigMap\nmetadata: {name: flat}\ndata:\n${Array.from({ length: 40_000 }, (_, i) => `  k${i}: v`).join('\n')}\n`;
      const created = await server.client.send('POST', `${path}?dryRun=All`, {
        body: flat,
        contentType: 'application/yaml',
      });
      assert.equal(created.status, 201, created.body.subarray(0, 300).toString());
      assert.equal(Object.keys(created.json.data).length, 40_000);
    }));

  it('still reads anchors that people write', () =>
    whileServing(server, async () => {
      const text =
        'kind: ConfigMap\nmetadata:\n  name: anchors\n  labels: &l {a: "1"}\n  annotations: {<<: *l, b: "2"}\ndata: *l\n';
      const answer = await server.client.send('POST', `${path}?dryRun=All`, {
        body: text,
        contentType: 'application/yaml',
      });
      assert.equal(answer.status, 201, answer.body.toString());
      assert.deepEqual(
        [answer.json.metadata.labels, answer.json.metadata.annotations, answer.json.data],
        [{ a: '1' }, { a: '1', b: '2' }, { a: '1' }],
      );
    }));
});

import assert from 'node:assert/strict';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const TEXT = '<a href="x">&amp;</a>\u2028\u2029é😀';
const ESCAPED = '\\u003ca href=\\"x\\"\\u003e\\u0026amp;\\u003c/a\\u003e\\u2028\\u2029é😀';
const MARKUP = /[<>&\u2028\u2029]/;
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const metadataAlone = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };

/** Go's encoder, and so a stock server, escapes what could end a script in a page. */
describe('JSON answers', function () {
  this.timeout(30_000);
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const created = await server.client.post(MAPS, {
      metadata: { name: 'a', annotations: { text: TEXT } },
      data: { text: TEXT },
    });
    assert.equal(textOf(created).includes(ESCAPED), true);
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i', args: [TEXT] }] } };
    assert.equal((await server.client.post(PODS, pod)).status, 201);
  });
  after(() => server.stop());

  /** What came, which has as many bytes as was said. */
  function textOf({ headers, body }: Answer): string {
    const text = body.toString();
    assert.doesNotMatch(text, MARKUP);
    if (headers['content-length'] !== undefined) assert.equal(Number(headers['content-length']), body.length);
    return text;
  }

  const answers: readonly (readonly [string, string, Record<string, string>, (json: any) => unknown])[] = [
    ['an object', `${MAPS}/a`, {}, ({ data }) => data.text],
    ['an object with line breaks', `${MAPS}/a?pretty=true`, {}, ({ data }) => data.text],
    ['a list', MAPS, {}, ({ items }) => items.find((one: any) => one.metadata.name === 'a').data.text],
    ['a list of another kind', PODS, {}, ({ items }) => items[0].spec.containers[0].args[0]],
    ['metadata alone', `${MAPS}/a`, metadataAlone, ({ metadata }) => metadata.annotations.text],
    [
      'a list of metadata',
      PODS.replace('pods', 'configmaps'),
      metadataAlone,
      ({ items }) => items.find((one: any) => one.metadata.name === 'a').metadata.annotations.text,
    ],
    ['a table with objects', `${MAPS}/a?includeObject=Object`, table, ({ rows }) => rows[0].object.data.text],
  ];
  for (const [name, path, headers, find] of answers)
    it(`have markup escaped: ${name}`, async () => {
      const answer = await server.client.get(path, headers);
      const text = textOf(answer);
      assert.ok(text.includes(ESCAPED), text);
      assert.equal(find(answer.json), TEXT);
    });

  it('have it escaped in cells', async () => {
    const text = textOf(await server.client.get(PODS, table));
    assert.ok(text.includes('"\\u003cnone\\u003e"'), text);
  });

  it('have it escaped in events of watches', async () => {
    const watch = '?watch=1&resourceVersion=0&timeoutSeconds=1';
    const text = textOf(await server.client.get(`${MAPS}${watch}`));
    const shown = text.split('\n').filter((line) => line.includes('"name":"a"'));
    assert.ok(shown[0]!.includes(ESCAPED), text);
    assert.equal(JSON.parse(shown[0]!).object.data.text, TEXT);
    assert.ok(textOf(await server.client.get(`${PODS}${watch}`, table)).includes('"\\u003cnone\\u003e"'));
  });

  it('have it escaped in a Status and in a review', async () => {
    const status = await server.client.get(`${MAPS}/a%3Cb%3E&c`);
    assert.ok(textOf(status).includes('configmaps \\"a\\u003cb\\u003e\\u0026c\\" not found'), String(status.body));
    const review = await server.client.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: { user: 'a&b', nonResourceAttributes: { path: '/<x>', verb: 'get' } },
    });
    assert.ok(textOf(review).includes('"user":"a\\u0026b"'));
    assert.equal(review.json.spec.nonResourceAttributes.path, '/<x>');
  });

  it('have none in YAML, which needs none', async () => {
    const { body } = await server.client.get(`${MAPS}/a`, { accept: 'application/yaml' });
    assert.ok(body.toString().includes('<a href='));
  });
});

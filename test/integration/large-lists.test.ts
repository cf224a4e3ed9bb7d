/**
 * Large lists without cached forms are written from stored bytes while they are sent. They must equal, byte by byte, a
 * list of decoded objects.
 */
import assert from 'node:assert/strict';
import http2 from 'node:http2';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { allResources } from '../../pkg/api/all-resources.ts';
import { openStore } from '../../pkg/storage/open-store.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { sampleNames, sampleNamespace, sampleObject } from '../fixtures/sample-objects.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { entry, message, objectMeta, storedProtobuf } from '../fixtures/wire-bytes.ts';

const protobuf = { accept: 'application/vnd.kubernetes.protobuf' };
const withObjects = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const left = ['podcertificaterequests', 'clustertrustbundles'];
const kinds = allResources.filter(
  ({ virtual, verbs, resource }) =>
    virtual !== true && (verbs ?? ['create']).includes('create') && !left.includes(resource),
);
/** Of every kind in every version, over all namespaces. */
const collections = kinds.flatMap(({ resource, versions }) =>
  versions.map(({ groupVersion }) => `${groupVersion.includes('/') ? '/apis' : '/api'}/${groupVersion}/${resource}`),
);
const maps = '/api/v1/configmaps';

/** Values that other writers, other releases and other versions have left. */
const foreign: readonly (readonly [string, Buffer])[] = [
  [
    'configmaps/default/as-json',
    Buffer.from(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"as-json","namespace":"default"},"data":{"b":"1","a":"\\u003c"}}',
    ),
  ],
  [
    'configmaps/default/unknown-field',
    storedProtobuf(
      'v1',
      'ConfigMap',
      message([1, objectMeta({ name: 'unknown-field', namespace: 'default' })], [2, entry('k', 'v')], [60, 'new']),
    ),
  ],
  [
    'configmaps/default/integer-keys',
    storedProtobuf(
      'v1',
      'ConfigMap',
      message(
        [1, objectMeta({ name: 'integer-keys', namespace: 'default' })],
        [2, entry('10', 'ten')],
        [2, entry('9', 'nine "quoted" \u0001')],
        [2, entry('__proto__', 'key')],
      ),
    ),
  ],
  [
    'pods/default/few-defaults',
    storedProtobuf(
      'v1',
      'Pod',
      message(
        [1, objectMeta({ name: 'few-defaults', namespace: 'default' })],
        [2, message([2, message([1, 'main'], [2, 'nginx:1'])])],
        [3, message([6, '10.0.0.1'])],
      ),
    ),
  ],
  [
    'deployments/default/old-version',
    storedProtobuf(
      'apps/v1beta1',
      'Deployment',
      message(
        [1, objectMeta({ name: 'old-version', namespace: 'default' })],
        [
          2,
          message(
            [1, 3],
            [2, message([1, entry('app', 'web')])],
            [
              3,
              message([1, message([11, entry('app', 'web')])], [2, message([2, message([1, 'main'], [2, 'nginx:1'])])]),
            ],
          ),
        ],
      ),
    ),
  ],
];

const answerOf = (body: Buffer): Answer => ({ status: 200, headers: {}, body, json: undefined });

describe('large lists of what was not asked for before', function () {
  this.timeout(120_000);
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-large-lists-'));
  const args = ['--runtime-config=api/all=true', '--feature-gates=APIResponseCompression=true'];
  let server: TestServer;

  before(async () => {
    const encryption = path.join(dir, 'encryption.yaml');
    const keys = [{ name: 'a', secret: Buffer.alloc(32, 'a').toString('base64') }];
    const resources = ['secrets', 'configmaps'];
    writeFileSync(
      encryption,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'EncryptionConfiguration',
        resources: [{ resources, providers: [{ aesgcm: { keys } }, { identity: {} }] }],
      }),
    );
    args.push(`--encryption-provider-config=${encryption}`);
    server = await startTestServer({ dir, args });
    await server.client.post('/api/v1/namespaces', { metadata: { name: sampleNamespace } });
    for (const { group, resource, namespaced } of kinds) {
      const sample = sampleObject(group, resource);
      const { name, text, copied } = sampleNames(group, resource);
      const root = `${sample.apiVersion.includes('/') ? '/apis' : '/api'}/${sample.apiVersion}`;
      const collection = `${root}${namespaced ? `/namespaces/${sampleNamespace}` : ''}/${resource}`;
      const { status, body } = await server.client.post(collection, sample);
      assert.equal(status, 201, `${collection}/${name}: ${body.toString()}`);
      // Not every kind can be copied by its name.
      await server.client.post(collection, JSON.parse(JSON.stringify(sample).replaceAll(text, copied)));
    }
    // Larger than a slab of an answer, and than what is kept of memory for the next object.
    for (const bytes of [100_000, 900_000])
      await server.client.post('/api/v1/namespaces/default/configmaps', {
        metadata: { name: `large-${bytes}` },
        data: { text: 'x"\n'.repeat(bytes / 3) },
      });
    await server.stop();
    const store = await openStore({ backend: 'embedded', dataDir: path.join(dir, 'store') });
    for (const [key, value] of foreign) assert.ok((await store.commit(key, { expectRevision: 0, value })).ok, key);
    await store.close();
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  beforeEach(async () => {
    server = await startTestServer({ dir, args: [...args, '--encode-thread-bytes=1'] });
  });
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const from = (bytes: number): void => {
    Object.assign(server.running.server.pools.thresholds, { encodeThreadBytes: bytes });
  };

  async function list(collection: string, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await server.client.get(collection, headers);
    assert.equal(answer.status, 200, `${collection}: ${answer.body.toString()}`);
    return answer;
  }

  /** Two lists of one state of the server: its own writes may come between. */
  async function ofOneState(
    collection: string,
    read: () => Promise<{ cold: Answer[]; warm: Answer[] }>,
  ): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const before = (await list(`${collection}?limit=1`)).json.metadata.resourceVersion;
      const { cold, warm } = await read();
      const after = (await list(`${collection}?limit=1`)).json.metadata.resourceVersion;
      if (before !== after && attempt < 10) continue;
      assert.equal(before, after, 'the server goes on writing');
      for (const [i, answer] of cold.entries())
        assert.equal(answer.body.toString('latin1'), warm[i]!.body.toString('latin1'), collection);
      return;
    }
  }

  it('are those of decoded objects, for every kind in every version', async () => {
    let fromStored = 0;
    for (const collection of collections) {
      await ofOneState(collection, async () => {
        from(1);
        const cold = [await list(collection)];
        const hasProtobuf = (await server.client.get(`${collection}?limit=1`, protobuf)).status === 200;
        if (hasProtobuf) cold.push(await list(collection, protobuf));
        if (cold[0]!.headers['transfer-encoding'] === 'chunked') fromStored++;
        // From here on all objects are decoded, and what is made of them is kept.
        from(1e12);
        await list(`${collection}?includeObject=Object`, withObjects);
        const warm = [await list(collection)];
        if (hasProtobuf) warm.push(await list(collection, protobuf));
        assert.equal(warm[0]!.headers['transfer-encoding'], undefined);
        return { cold, warm };
      });
    }
    assert.ok(fromStored > collections.length / 4, `${fromStored} of ${collections.length}`);
  });

  it('are complete in chunks, compressed, of HTTP/1.1 and HTTP/2, on connections that go on', async () => {
    for (const collection of [maps, '/api/v1/secrets', '/api/v1/pods']) {
      await ofOneState(collection, async () => {
        from(1);
        const cold: Answer[] = [];
        const packed = await list(collection, { 'accept-encoding': 'gzip' });
        const isPacked = packed.headers['content-encoding'] === 'gzip';
        cold.push(answerOf(isPacked ? gunzipSync(packed.body) : packed.body));
        cold.push(await overHttp2(collection, {}));
        cold.push(await overHttp2(collection, protobuf));
        cold.push(await list(`${collection}?limit=2`), await list(`${collection}?limit=2`, protobuf));
        from(1e12);
        await list(`${collection}?includeObject=Object`, withObjects);
        const warm = [await list(collection), await list(collection), await list(collection, protobuf)];
        warm.push(await list(`${collection}?limit=2`), await list(`${collection}?limit=2`, protobuf));
        return { cold, warm };
      });
    }
  });

  it('keep nothing of what they sent', async () => {
    const { body } = await list(maps);
    const cache = server.running.server.stores.of('configmaps').cache;
    const small = [...cache.snapshot().values()].filter(({ value }) => value.length < 10_000);
    assert.ok(body.length > 1_000_000 && small.length > 2);
    for (const object of small)
      if (object.storedUse === 'protobuf-and-json') assert.equal(object.hasForm('v1;json'), false);
  });

  async function overHttp2(collection: string, headers: Record<string, string>): Promise<Answer> {
    const session = http2.connect(server.client.url, { rejectUnauthorized: false });
    try {
      const stream = session.request({
        ':path': collection,
        authorization: `Bearer ${server.client.token}`,
        ...headers,
      });
      const parts: Buffer[] = [];
      for await (const part of stream) parts.push(part as Buffer);
      return answerOf(Buffer.concat(parts));
    } finally {
      session.close();
    }
  }
});

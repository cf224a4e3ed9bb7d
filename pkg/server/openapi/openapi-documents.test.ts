import assert from 'node:assert/strict';
import { cronTabs } from '../../../test/fixtures/cron-tabs.ts';
import { Scheme } from '../../api/scheme.ts';
import { withEnabledVersions } from '../documents/enabled-resources.ts';
import { gunzipSync } from 'node:zlib';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { DocumentAnswer, DocumentRequest } from '../documents/document-answer.ts';
import { sampleResources, sampleScheme } from '../documents/testing.ts';
import { servedResources } from '../documents/served-resources.ts';
import { buildOpenApi, type OpenApiBuild } from './build.ts';
import { decodeV2, decodeV3 } from './gnostic-testing.ts';
import { OpenApiDocuments } from './openapi-documents.ts';
import { buildV2Parts, type V2Build } from './v2-parts.ts';

const info = { title: 'Binnacle', version: 'v0.1.0' };
const v2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const v2Asked = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

describe('OpenApiDocuments', () => {
  const moment = Date.UTC(2026, 0, 2, 3, 4, 5);
  let builds: OpenApiBuild[] = [];
  let v2Builds: V2Build[] = [];
  const make = (): OpenApiDocuments =>
    new OpenApiDocuments({
      resources: sampleResources,
      info,
      now: () => moment,
      build: (build) => {
        builds.push(build);
        return buildOpenApi(build);
      },
      buildV2: (build) => {
        v2Builds.push(build);
        return buildV2Parts(build);
      },
    });
  const documents = make();
  const get = async (path: string, more: Partial<DocumentRequest> = {}): Promise<DocumentAnswer> => {
    const answer = await documents.answer({ path, ...more });
    assert.ok(answer, path);
    return answer;
  };
  const json = (answer: DocumentAnswer): any => JSON.parse(Buffer.from(answer.body).toString());

  beforeEach(() => {
    builds = [];
    v2Builds = [];
  });

  it('answers v2 in JSON unless protobuf is requested, in any of its spellings', async () => {
    const rows: [accept: string | undefined, contentType: string][] = [
      [undefined, 'application/json'],
      ['*/*', 'application/json'],
      ['application/json', 'application/json'],
      [v2Asked, v2Protobuf],
      [`${v2Asked};q=0.9,application/json;q=0.5`, v2Protobuf],
      [v2Protobuf, v2Protobuf],
      [`${v2Protobuf}, application/json`, v2Protobuf],
    ];
    for (const [accept, contentType] of rows) {
      const answer = await get('/openapi/v2', accept === undefined ? {} : { accept });
      assert.equal(answer.status, 200);
      assert.equal(answer.contentType, contentType, accept);
      assert.equal(answer.headers['content-type'], contentType);
    }
    const document = json(await get('/openapi/v2'));
    assert.equal(document.swagger, '2.0');
    assert.deepEqual(decodeV2((await get('/openapi/v2', { accept: v2Asked })).body), document);
  });

  it('refuses other representations', async () => {
    await assert.rejects(
      documents.answer({ path: '/openapi/v2', accept: 'text/html' }),
      (e: StatusError) => e instanceof StatusError && e.status.code === 406,
    );
  });

  it('answers 304 to its tag, and has the time of the build', async () => {
    const { etag, headers } = await get('/openapi/v2');
    assert.match(etag!, /^"[0-9A-F]{128}"$/);
    assert.equal(headers['last-modified'], 'Fri, 02 Jan 2026 03:04:05 GMT');
    assert.equal(headers['vary'], 'Accept, Accept-Encoding');
    const again = await get('/openapi/v2', { ifNoneMatch: etag! });
    assert.equal(again.status, 304);
    assert.equal(again.body.length, 0);
    assert.equal((await get('/openapi/v2', { ifNoneMatch: etag!, accept: v2Asked })).status, 200);
  });

  it('compresses for clients that accept it', async () => {
    const packed = await get('/openapi/v2', { acceptEncoding: 'deflate, gzip' });
    const plain = await get('/openapi/v2');
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.ok(packed.body.length < plain.body.length / 5);
    assert.deepEqual(gunzipSync(packed.body), Buffer.from(plain.body));
    assert.equal(packed.etag, plain.etag);
  });

  it('lists the documents of v3 with the hash of their content', async () => {
    const { paths } = json(await get('/openapi/v3'));
    assert.deepEqual(Object.keys(paths).slice(0, 4), ['api', 'api/v1', 'apis', 'apis/apiextensions.k8s.io']);
    const url = new URL(paths['apis/apps/v1'].serverRelativeURL, 'https://host');
    assert.equal(url.pathname, '/openapi/v3/apis/apps/v1');
    const answer = await get(url.pathname, { hash: url.searchParams.get('hash')! });
    assert.equal(answer.status, 200);
    assert.equal(answer.etag, `"${url.searchParams.get('hash')}"`);
    assert.equal(answer.headers['cache-control'], 'public, immutable');
    assert.equal(answer.headers['expires'], 'Sat, 02 Jan 2027 03:04:05 GMT');
    assert.equal(json(answer).openapi, '3.0.0');
  });

  it('redirects requests with an old hash to the new one', async () => {
    const answer = await get('/openapi/v3/apis/apps/v1', { hash: 'OLD' });
    assert.equal(answer.status, 301);
    assert.match(answer.headers['location']!, /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
  });

  it('answers v3 in protobuf', async () => {
    const answer = await get('/openapi/v3/apis/apps/v1', {
      accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
    });
    assert.equal(answer.contentType, 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf');
    assert.equal(decodeV3(answer.body).openapi, '3.0.0');
    assert.equal(answer.headers['cache-control'], 'no-cache, private');
  });

  it('knows no other paths', async () => {
    for (const path of [
      '/openapi',
      '/openapi/v1',
      '/openapi/v2/x',
      '/openapi/v3/apis/none',
      '/openapi/v3/apis/apps/v9',
      '/openapi/v3/constructor',
      '/openapi/v3//',
      '/openapi/v3/apis/apps/',
    ]) {
      assert.equal(await documents.answer({ path }), undefined, path);
    }
  });

  it('builds once for all clients, and again after a failure or a change', async () => {
    const fresh = make();
    const both = await Promise.all([fresh.answer({ path: '/openapi/v2' }), fresh.answer({ path: '/openapi/v2' })]);
    assert.equal(v2Builds.length, 1);
    assert.equal(both[0]!.body, both[1]!.body);
    fresh.update(
      servedResources(new Scheme(withEnabledVersions(sampleScheme.resources, (groupVersion) => groupVersion === 'v1'))),
      new Set(sampleResources.map(({ group }) => group)),
    );
    const smaller = await fresh.answer({ path: '/openapi/v2' });
    assert.equal(v2Builds.length, 2);
    assert.notEqual(smaller!.etag, both[0]!.etag);
    assert.equal(await fresh.answer({ path: '/openapi/v3/apis/apps/v1' }), undefined);

    let failing = true;
    const shaky = new OpenApiDocuments({
      resources: sampleResources,
      info,
      build: buildOpenApi,
      buildV2: (build) => (failing ? Promise.reject(new Error('worker died')) : buildV2Parts(build)),
    });
    await assert.rejects(shaky.answer({ path: '/openapi/v2' }), /worker died/);
    failing = false;
    assert.equal((await shaky.answer({ path: '/openapi/v2' }))!.status, 200);
  });

  it('builds after a change what concerns the group, and nothing else', async () => {
    const fresh = make();
    const all = async (): Promise<void> => {
      await fresh.answer({ path: '/openapi/v2' });
      await fresh.answer({ path: '/openapi/v3' });
    };
    await all();
    builds = [];
    v2Builds = [];
    const tabs = servedResources(new Scheme([cronTabs()]));
    fresh.update([...sampleResources, ...tabs], new Set(['stable.example.com']));
    await all();
    assert.deepEqual(
      [v2Builds.map(({ groups }) => groups), builds.map(({ v3Document }) => v3Document).sort()],
      [[['stable.example.com']], ['apis/stable.example.com', 'apis/stable.example.com/v1']],
    );
  });

  it('passes workers plain data', async () => {
    const fresh = make();
    await fresh.answer({ path: '/openapi/v3/apis/apps/v1' });
    await fresh.answer({ path: '/openapi/v2' });
    assert.deepEqual([builds.length, v2Builds.length], [1, 1]);
    assert.deepEqual(structuredClone([builds, v2Builds]), [builds, v2Builds]);
  });
});

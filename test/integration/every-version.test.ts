/**
 * Every kind through every version that can serve it, those on demand as well: one object, readable and writable
 * through all, without loss.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allResources } from '../../pkg/api/all-resources.ts';
import type { AnyResource } from '../../pkg/api/resource-definition.ts';
import type { ApiClient } from '../fixtures/api-client.ts';
import { sampleNames, sampleNamespace as namespace, sampleObject } from '../fixtures/sample-objects.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { until } from '../fixtures/until.ts';
import { without } from './on-each-store.ts';

/** Have one version, and want certificates or a proof by a key of their own: tested beside their source. */
const left = ['podcertificaterequests', 'clustertrustbundles'];
const stored = allResources.filter(
  ({ virtual, verbs, resource }) =>
    virtual !== true && (verbs ?? ['create']).includes('create') && !left.includes(resource),
);

function collection(definition: AnyResource, groupVersion: string): string {
  const root = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
  return `${root}${definition.namespaced ? `/namespaces/${namespace}` : ''}/${definition.resource}`;
}

/** What has to be the same for two objects with the same content. */
function content(object: any): unknown {
  const { metadata } = object;
  const rest = without(structuredClone(object), 'kind', 'apiVersion', 'status', 'metadata');
  dropGenerated({ ...rest, kind: object.kind });
  return { ...rest, labels: metadata.labels, annotations: metadata.annotations };
}

/** Takes out what the server makes for one object alone. */
function dropGenerated(object: any): void {
  if (object.kind === 'Service') for (const key of ['clusterIP', 'clusterIPs']) delete object.spec[key];
  if (object.kind === 'Job') {
    delete object.spec.selector;
    for (const label of [
      'controller-uid',
      'job-name',
      'batch.kubernetes.io/controller-uid',
      'batch.kubernetes.io/job-name',
    ])
      delete object.spec.template.metadata.labels[label];
  }
}

/** Kinds whose status the server sets after the create. */
const filledIn: ReadonlyMap<string, (object: any) => boolean> = new Map([
  ['flowschemas', ({ status }: any) => status.conditions?.length > 0],
  ['servicecidrs', ({ metadata, status }: any) => status.conditions?.length > 0 && metadata.finalizers?.length > 0],
]);

async function settled(client: ApiClient, resource: string, at: string): Promise<void> {
  const isFilledIn = filledIn.get(resource);
  if (isFilledIn !== undefined) await until(async () => isFilledIn((await client.get(at)).json), `${at} is filled in`);
}

describe('every kind', () => {
  let server: TestServer;
  let client: ApiClient;

  before(async () => {
    server = await startTestServer({ args: ['--runtime-config=api/all=true'] });
    client = server.client;
    assert.equal((await client.post('/api/v1/namespaces', { metadata: { name: namespace } })).status, 201);
  });

  after(async () => {
    await server?.stop();
    assert.deepEqual(server?.errors, []);
  });

  async function read(path: string): Promise<any> {
    const answer = await client.get(path);
    assert.equal(answer.status, 200, `${path}: ${answer.body.toString()}`);
    return answer.json;
  }

  for (const definition of stored) {
    const { group, resource } = definition;
    const served = definition.versions.map((version) => version.groupVersion);

    it(`${group}/${resource} in ${served.join(', ')}`, async () => {
      const { name, text, copied } = sampleNames(group, resource);
      const copyName = name.replaceAll(text, copied);
      // Some kinds carry their name, or what the server derives from it, in their content.
      const asOriginal = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(copied, text));
      const sample = sampleObject(group, resource);
      const created = await client.post(collection(definition, sample.apiVersion), sample);
      assert.equal(created.status, 201, created.body.toString());
      assert.ok(!String(created.headers['warning']).includes('unknown field'), created.headers['warning']);
      const main = `${collection(definition, sample.apiVersion)}/${name}`;
      await settled(client, resource, main);
      const original = await read(main);

      for (const version of served) {
        const path = collection(definition, version);
        const shown = await read(`${path}/${name}`);
        assert.equal(shown.apiVersion, version);
        for (const key of ['uid', 'resourceVersion', 'creationTimestamp'])
          assert.equal(shown.metadata[key], original.metadata[key], `${version}: ${key}`);
        const [listed] = (await read(`${path}?fieldSelector=metadata.name%3D${name}`)).items;
        assert.equal(listed.metadata.uid, original.metadata.uid, version);

        // What was read can be written back: nothing is lost on the way, so nothing changes.
        const put = await client.put(`${path}/${name}`, shown);
        assert.equal(put.status, 200, `${version}: ${put.body.toString()}`);
        assert.deepEqual(await read(main), original, `written back through ${version}`);

        const metadata = without(
          shown.metadata,
          'uid',
          'resourceVersion',
          'creationTimestamp',
          'generation',
          'managedFields',
        );
        const copy = JSON.parse(JSON.stringify({ ...shown, metadata }).replaceAll(text, copied));
        dropGenerated(copy);
        const made = await client.post(path, copy);
        assert.equal(made.status, 201, `${version}: ${made.body.toString()}`);
        const through = await read(`${collection(definition, sample.apiVersion)}/${copyName}`);
        assert.deepEqual(asOriginal(content(through)), asOriginal(content(original)), `created through ${version}`);

        const label = version.replace('/', '.');
        const patched = await client.patch(`${path}/${copyName}`, 'merge', {
          metadata: { labels: { through: label } },
        });
        assert.equal(patched.status, 200, `${version}: ${patched.body.toString()}`);
        assert.equal(patched.json.metadata.labels.through, label);
        assert.deepEqual(
          asOriginal(content({ ...patched.json, metadata: {} })),
          asOriginal(content({ ...shown, metadata: {} })),
          `patched through ${version}`,
        );
        await remove(`${path}/${copyName}`);
      }
      await remove(main);
    });
  }

  /** Deletes for good, in place of the controllers that finalizers wait for. */
  async function remove(path: string): Promise<void> {
    const answer = await client.delete(`${path}?propagationPolicy=Background`);
    assert.equal(answer.status, 200, answer.body.toString());
    const left = await client.get(path);
    if (left.status === 404) return;
    assert.ok(left.json.metadata.deletionTimestamp, `${path} is not being deleted`);
    if (left.json.kind === 'Namespace') {
      assert.equal((await client.put(`${path}/finalize`, { ...left.json, spec: { finalizers: [] } })).status, 200);
    } else if ((left.json.metadata.finalizers ?? []).length > 0) {
      assert.equal((await client.patch(path, 'merge', { metadata: { finalizers: null } })).status, 200);
    }
    assert.equal((await client.get(path)).status, 404, `${path} stays`);
  }
});

describe('every kind after a restart', () => {
  it('looks the same: what a write left in memory is what is stored', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-every-kind-'));
    const settings = { dir, args: ['--runtime-config=api/all=true'] };
    let server = await startTestServer(settings);
    try {
      assert.equal((await server.client.post('/api/v1/namespaces', { metadata: { name: namespace } })).status, 201);
      const paths: string[] = [];
      for (const definition of stored) {
        const { group, resource, versions } = definition;
        const sample = sampleObject(group, resource);
        assert.equal(
          (await server.client.post(collection(definition, sample.apiVersion), sample)).status,
          201,
          resource,
        );
        await settled(
          server.client,
          resource,
          `${collection(definition, sample.apiVersion)}/${sampleNames(group, resource).name}`,
        );
        for (const { groupVersion, served } of versions)
          if (served !== false)
            paths.push(`${collection(definition, groupVersion)}/${sampleNames(group, resource).name}`);
      }
      const before = await read(server.client, paths);
      await server.stop();
      server = await startTestServer(settings);
      assert.deepEqual(await read(server.client, paths), before);
    } finally {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

async function read(client: ApiClient, paths: readonly string[]): Promise<unknown[]> {
  const objects: unknown[] = [];
  for (const each of paths) {
    const { status, json } = await client.get(each);
    assert.equal(status, 200, each);
    objects.push(json);
  }
  return objects;
}

import assert from 'node:assert/strict';
import { resourceToken } from '../api/resource.ts';
import { FakeClock, settle } from '../apimachinery/clock-testing.ts';
import type { Client } from '../client/rest/client.ts';
import { DiscoveredServed } from './discovered-resources.ts';

const pods = resourceToken('v1', 'pods', 'Pod', true);
const deployments = resourceToken('apps/v1', 'deployments', 'Deployment', true);
const widgets = resourceToken('example.com/v1', 'widgets', 'Widget', true);

describe('DiscoveredServed', () => {
  let clock: FakeClock;
  let documents: Record<string, unknown>;
  let errors: string[];
  let changes: number;
  let served: DiscoveredServed;
  let stopping: AbortController;
  let ended: Promise<void>;
  beforeEach(() => {
    clock = new FakeClock();
    errors = [];
    changes = 0;
    stopping = new AbortController();
    documents = {
      '/apis': { groups: [group('apps', 'v1'), group('example.com', 'v1')] },
      '/api/v1': list('pods', 'Pod'),
      '/apis/apps/v1': list('deployments', 'Deployment'),
      '/apis/example.com/v1': new Error('no backend'),
    };
    const getPath = (path: string): Promise<unknown> => {
      const found = documents[path];
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    };
    const client = { getPath, getDocument: async (path: string) => ({ body: await getPath(path) }) };
    served = new DiscoveredServed({
      client: client as unknown as Client,
      clock,
      onError: (error, where) => errors.push(`${where}: ${(error as Error).message}`),
    });
    served.onChange(() => changes++);
    ended = served.follow(stopping.signal);
  });
  afterEach(async () => {
    stopping.abort();
    await ended;
  });

  it('finds everything but the group that does not answer, which is reported once', async () => {
    await settle();
    await clock.advance(120_000);
    assert.deepEqual(
      [pods, deployments, widgets].map((each) => served.isServed(each)),
      [true, true, false],
    );
    assert.deepEqual([errors, changes], [['discovery of example.com/v1: no backend'], 1]);
  });

  it('finds what is added later, and keeps what a group had that stops to answer', async () => {
    await settle();
    documents['/apis/example.com/v1'] = list('widgets', 'Widget');
    await clock.advance(30_000);
    assert.deepEqual([served.isServed(widgets), changes], [true, 2]);
    documents['/apis/example.com/v1'] = new Error('no backend');
    await clock.advance(30_000);
    assert.deepEqual([served.isServed(widgets), changes], [true, 2]);
    documents['/apis'] = { groups: [group('apps', 'v1')] };
    await clock.advance(30_000);
    assert.deepEqual([served.isServed(widgets), changes], [false, 3]);
  });

  it('keeps what a stale group of an aggregated answer had, until the group is gone', async () => {
    await settle();
    documents['/api'] = aggregated('', 'pods', 'Pod');
    documents['/apis'] = aggregated('example.com', 'widgets', 'Widget');
    await clock.advance(30_000);
    assert.deepEqual([served.isServed(pods), served.isServed(widgets)], [true, true]);
    documents['/apis'] = aggregated('example.com', 'others', 'Other', 'Stale');
    await clock.advance(60_000);
    assert.deepEqual([served.isServed(pods), served.isServed(widgets)], [true, true]);
    assert.equal(errors.at(-1), 'discovery of example.com/v1: stale GroupVersion discovery: example.com/v1');
    assert.equal(errors.length, 2);
    documents['/apis'] = { kind: 'APIGroupDiscoveryList', items: [] };
    await clock.advance(30_000);
    assert.deepEqual([served.isServed(pods), served.isServed(widgets)], [true, false]);
  });

  it('keeps what it knows while the server does not answer, and tries again', async () => {
    await settle();
    const answer = documents['/apis'];
    documents['/apis'] = new Error('away');
    await clock.advance(31_000);
    assert.deepEqual([served.isServed(pods), errors.includes('discovery: away')], [true, true]);
    documents['/apis'] = answer;
    await clock.advance(2000);
    assert.deepEqual([served.isServed(pods), changes], [true, 1]);
  });
});

function group(name: string, version: string): object {
  const groupVersion = `${name}/${version}`;
  return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
}

function list(name: string, kind: string): object {
  return { resources: [{ name, kind, singularName: '', namespaced: true, verbs: ['list'] }] };
}

function aggregated(group: string, resource: string, kind: string, freshness = 'Current'): object {
  const resources = [{ resource, responseKind: { kind }, scope: 'Namespaced', verbs: ['list'] }];
  return {
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name: group }, versions: [{ version: 'v1', resources, freshness }] }],
  };
}

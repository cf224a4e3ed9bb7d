import assert from 'node:assert/strict';
import { endpoints, events, pods, services } from '../../api/core/tokens.ts';
import { badRequest, conflict } from '../../apimachinery/errors/status-error.ts';
import type { Endpoints, Pod, Service } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { podOf, serviceOf } from '../service-endpoints/objects-testing.ts';
import { endpointsController } from './controller.ts';
import { newSubsets } from './new-subsets.ts';
import { truncate } from './truncate.ts';

const CONFIG = { workers: { endpoint: 2 }, endpoint: { batchMs: 0 } } as ControllersConfig;

describe('the endpoints controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const start = (): Promise<void> => fixture.start(endpointsController.create(fixture.context, CONFIG)!);
  const read = (name = 'web'): Promise<Endpoints> => fixture.client.get(endpoints, { namespace: 'ns', name });
  const makePod = (name: string, ip: string, more: object = {}): Promise<Pod> =>
    fixture.client.create(pods, podOf(name, ip, more));
  const makeService = (spec: Partial<Service['spec']> = {}): Promise<Service> =>
    fixture.client.create(services, serviceOf(spec));

  it('packs addresses that have the same ports into one subset', async () => {
    await makeService({
      ports: [
        { name: 'http', port: 80, targetPort: 'web' },
        { name: 'm', port: 90, targetPort: 90 },
      ],
    });
    await makePod('a', '10.0.0.1', { port: 8080 });
    await makePod('b', '10.0.0.2');
    await start();
    const { subsets, metadata } = await read();
    assert.deepEqual(
      subsets!
        .map(({ addresses, ports }) => [addresses!.map(({ ip }) => ip), ports!.map(({ port }) => port)])
        .sort(([a], [b]) => a!.length - b!.length),
      [
        [['10.0.0.1'], [8080]],
        [['10.0.0.1', '10.0.0.2'], [90]],
      ],
    );
    assert.equal(metadata.labels?.['endpoints.kubernetes.io/managed-by'], 'endpoint-controller');
    const [first] = subsets!.flatMap(({ addresses }) => addresses!);
    assert.equal(first!.targetRef!.name, 'a');
    assert.deepEqual(fixture.errors, []);
  });

  it('moves pods that are not ready, and writes nothing where nothing changes', async () => {
    await makeService();
    await makePod('a', '10.0.0.1');
    await start();
    const before = fixture.requests.length;
    await fixture.client.patch(pods, { namespace: 'ns', name: 'a' }, 'merge', {
      metadata: { annotations: { x: 'y' } },
    });
    await fixture.clock.advance(0);
    assert.equal(fixture.requests.length, before + 1);
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    await fixture.client.patch(pods, { namespace: 'ns', name: 'a' }, 'merge', { status }, { subresource: 'status' });
    await fixture.clock.advance(0);
    const { subsets, metadata } = await read();
    assert.equal(subsets![0]!.addresses, undefined);
    assert.equal(subsets![0]!.notReadyAddresses!.length, 1);
    assert.equal(metadata.annotations?.['endpoints.kubernetes.io/last-change-trigger-time'], undefined);
  });

  it('leaves those of services without selector, and deletes those of services that go', async () => {
    await fixture.client.create(endpoints, { metadata: { name: 'web', namespace: 'ns' }, subsets: [] });
    await makeService({ selector: undefined });
    await start();
    assert.equal((await read()).metadata.labels, undefined);
    await fixture.client.delete(services, { namespace: 'ns', name: 'web' });
    await fixture.clock.advance(0);
    await assert.rejects(read(), /not found/);
  });

  it('says why Endpoints cannot be written, unless another attempt can', async () => {
    await makeService();
    await makePod('a', '10.0.0.1');
    await start();
    const notes = async (): Promise<unknown> =>
      (await fixture.client.list(events)).items.map(({ reason, message }) => [reason, message]);
    const problems = [conflict({ group: '', resource: 'endpoints' }, 'web', 'changed'), badRequest('too many')];
    const { update } = fixture.client;
    fixture.client.update = (() => Promise.reject(problems.shift()!)) as typeof update;
    await makePod('b', '10.0.0.2');
    await fixture.clock.advance(0);
    assert.deepEqual(await notes(), []);
    await fixture.clock.advance(10);
    assert.deepEqual(await notes(), [['FailedToUpdateEndpoint', 'Failed to update endpoint ns/web: too many']]);
    fixture.client.update = update.bind(fixture.client);
    await fixture.clock.advance(1000);
    assert.equal((await read()).subsets![0]!.addresses!.length, 2);
  });

  it('publishes pods that are not ready where the service asks for it, and names of pods below it', () => {
    const service = serviceOf({ clusterIP: 'None', ports: undefined, publishNotReadyAddresses: true });
    const pod = podOf('a', '10.0.0.1', { ready: false, hostname: 'a', subdomain: 'web' });
    const [subset] = newSubsets(service, [pod]);
    assert.equal(subset!.ports, undefined);
    assert.deepEqual([subset!.addresses![0]!.hostname, subset!.notReadyAddresses], ['a', undefined]);
  });

  it('chooses the addresses of the first family of the service', () => {
    const pod = podOf('a', '10.0.0.1', { ipv6: 'fd00::1' });
    const [subset] = newSubsets(serviceOf({ ipFamilies: ['IPv6', 'IPv4'] }), [pod]);
    assert.deepEqual(
      subset!.addresses!.map(({ ip }) => ip),
      ['fd00::1'],
    );
  });

  it('keeps a thousand addresses, ready ones first', () => {
    const some = (count: number): { ip: string }[] => Array.from({ length: count }, (_, i) => ({ ip: `10.0.0.${i}` }));
    const lengths = (subsets: Endpoints['subsets']): unknown =>
      subsets!.map(({ addresses = [], notReadyAddresses = [] }) => [addresses.length, notReadyAddresses.length]);
    assert.deepEqual(lengths(truncate([{ addresses: some(900), notReadyAddresses: some(300) }])), [[900, 100]]);
    assert.deepEqual(
      lengths(truncate([{ addresses: some(900) }, { addresses: some(300), notReadyAddresses: some(1) }])),
      [
        [750, 0],
        [250, 0],
      ],
    );
  });
});

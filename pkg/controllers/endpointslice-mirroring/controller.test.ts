import assert from 'node:assert/strict';
import { endpoints, events, services } from '../../api/core/tokens.ts';
import { endpointSlices } from '../../api/discovery/tokens.ts';
import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { serviceOf } from '../service-endpoints/objects-testing.ts';
import { endpointSliceMirroringController } from './controller.ts';

const CONFIG = {
  workers: { endpointSliceMirroring: 1 },
  endpointSliceMirroring: { batchMs: 0, endpointsMax: 3 },
} as ControllersConfig;

describe('the endpointslice mirroring controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.client.create(services, serviceOf({ selector: undefined }));
  });
  afterEach(() => fixture.stop());
  const start = (): Promise<void> => fixture.start(endpointSliceMirroringController.create(fixture.context, CONFIG)!);
  const create = (ips: readonly string[]): Promise<unknown> =>
    fixture.client.create(endpoints, {
      metadata: { name: 'web', namespace: 'ns', labels: { team: 'x' } },
      subsets: [
        { addresses: ips.map((ip) => ({ ip })), notReadyAddresses: [{ ip: '192.0.2.9' }], ports: [{ port: 1 }] },
      ],
    });
  const slices = async (): Promise<readonly EndpointSlice[]> =>
    (await fixture.client.list(endpointSlices, { namespace: 'ns' })).items;
  const patch = async (change: object): Promise<void> => {
    await fixture.client.patch(endpoints, { namespace: 'ns', name: 'web' }, 'merge', change);
    await fixture.clock.advance(0);
  };

  it('shows Endpoints of others as slices, and follows them', async () => {
    await create(['192.0.2.1']);
    await start();
    const [slice] = await slices();
    assert.equal(slice!.metadata.labels?.['team'], 'x');
    assert.deepEqual(
      slice!.endpoints!.map(({ addresses, conditions }) => [addresses, conditions]),
      [
        [['192.0.2.1'], { ready: true }],
        [['192.0.2.9'], { ready: false }],
      ],
    );
    await patch({ subsets: [{ addresses: [{ ip: '192.0.2.2' }], ports: [{ port: 2 }] }] });
    const [changed, ...others] = await slices();
    assert.equal(others.length, 0);
    assert.deepEqual([changed!.metadata.uid, changed!.ports![0]!.port], [slice!.metadata.uid, 2]);
    assert.deepEqual(fixture.errors, []);
  });

  it('deletes the slices when the Endpoints ask for it, and when they go', async () => {
    await create(['192.0.2.1']);
    await start();
    await patch({ metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } });
    assert.equal((await slices()).length, 0);
    await patch({ metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': null } } });
    assert.equal((await slices()).length, 1);
    await fixture.client.delete(endpoints, { namespace: 'ns', name: 'web' });
    await fixture.clock.advance(0);
    assert.equal((await slices()).length, 0);
  });

  it('mirrors as many addresses as are allowed', async () => {
    await create(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
    await start();
    assert.equal((await slices())[0]!.endpoints!.length, 3);
  });

  it('leaves Endpoints alone whose service has a selector', async () => {
    await fixture.client.patch(services, { namespace: 'ns', name: 'web' }, 'merge', { spec: { selector: { a: 'b' } } });
    await create(['192.0.2.1']);
    await start();
    assert.equal((await slices()).length, 0);
  });

  it('mirrors the labels of headless services, and one slice of all ports that the same addresses have', async () => {
    await fixture.client.create(endpoints, {
      metadata: { name: 'web', namespace: 'ns', labels: { 'service.kubernetes.io/headless': '' } },
      subsets: [
        { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'a', port: 1, protocol: 'TCP' }] },
        { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'b', port: 2, protocol: 'TCP' }] },
      ],
    });
    await start();
    const [slice, ...others] = await slices();
    assert.deepEqual([slice!.ports!.map(({ port }) => port).sort(), others], [[1, 2], []]);
    assert.equal(slice!.metadata.labels?.['service.kubernetes.io/headless'], '');
  });

  it('says how many addresses it skips', async () => {
    await create(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
    await start();
    const [event] = (await fixture.client.list(events)).items;
    assert.deepEqual(
      [event!.reason, event!.source?.component, event!.message],
      [
        'TooManyAddressesToMirror',
        'endpoint-slice-mirroring-controller',
        'A max of 3 addresses can be mirrored to EndpointSlices per Endpoints subset. 2 addresses were skipped',
      ],
    );
  });
});

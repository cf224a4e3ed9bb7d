/**
 * Three servers, separate processes, beside a server of another kind on one etcd: no address is given out twice, by any
 * of them.
 */
import assert from 'node:assert/strict';
import { clusterIpRange } from '../../pkg/registry/allocators/number-range.ts';
import { decodeRange } from '../../pkg/registry/allocators/stored-range.ts';
import { Bitmap } from '../../pkg/registry/allocators/bitmap.ts';
import type { EtcdStore } from '../../pkg/storage/etcd/etcd-store.ts';
import { openEtcdStore } from '../../pkg/storage/etcd/open-etcd-store.ts';
import { addressesByBitmap, addressesByObjects, type AddressServer } from '../fixtures/address-server.ts';
import type { ApiClient } from '../fixtures/api-client.ts';
import { startThreeProcesses, type ThreeProcesses } from '../fixtures/three-processes.ts';
import { until } from '../fixtures/until.ts';

const CIDR = '10.7.0.0/22';
const range = clusterIpRange(CIDR);
const services = '/api/v1/namespaces/default/services';
const lanesPerServer = 3;
/** Of each lane: with twelve lanes much of the range is in use, so that all meet. */
const liveMax = 36;
const createsPerLane = 100;

/** One of our servers. */
function addressesOverApi(client: ApiClient): AddressServer {
  return {
    async create(name) {
      // Every other service names its address, as one may that is restored from a backup.
      const clusterIP = name.endsWith('1') ? range.itemAt(Math.floor(Math.random() * range.size)) : undefined;
      const answer = await client.post(services, {
        metadata: { name },
        spec: { ports: [{ port: 80 }], ...(clusterIP === undefined ? {} : { clusterIP }) },
      });
      if (answer.status === 201) return answer.json.spec.clusterIP;
      assert.match(answer.json.message, /already allocated|range is full/);
      return undefined;
    },
    async delete(name) {
      assert.equal((await client.send('DELETE', `${services}/${name}`, {})).status, 200);
    },
  };
}

describe('three servers beside another one', function () {
  this.timeout(240_000);
  let started: ThreeProcesses | undefined;
  let store: EtcdStore;
  /** Who has an address, from the answer of its create to the request to delete it. */
  let holders: Map<string, string>;

  before(async () => {
    started = await startThreeProcesses([`--service-cluster-ip-range=${CIDR}`]);
    store = openEtcdStore({ servers: [started.etcd.url], prefix: '/registry' });
  });
  beforeEach(() => {
    holders = new Map();
  });
  after(async () => {
    await store?.close();
    await started?.stop();
  });

  async function churn(server: AddressServer, lane: string): Promise<number> {
    const live: { name: string; ip: string }[] = [];
    let made = 0;
    for (let i = 0; i < createsPerLane; i++) {
      const name = `${lane}-${i}`;
      const ip = await server.create(name);
      if (ip !== undefined) {
        assert.equal(holders.get(ip), undefined, `${ip} is given to ${name}`);
        holders.set(ip, name);
        live.push({ name, ip });
        made++;
      }
      if (live.length > liveMax) await end(server, live.splice(Math.floor(Math.random() * live.length), 1));
    }
    await end(server, live.splice(0, Math.floor((live.length * 3) / 4)));
    return made;
  }

  async function end(server: AddressServer, ended: readonly { name: string; ip: string }[]): Promise<void> {
    for (const { name, ip } of ended) {
      holders.delete(ip);
      await server.delete(name, ip);
    }
  }

  async function churnAll(kind: string, other: AddressServer): Promise<void> {
    const lanes = started!.clients.flatMap((client, i) =>
      Array.from({ length: lanesPerServer }, (_, lane) => churn(addressesOverApi(client), `${kind}-${i}-${lane}`)),
    );
    const others = Array.from({ length: lanesPerServer }, (_, lane) => churn(other, `${kind}-other-${lane}`));
    const made = (await Promise.all([...lanes, ...others])).reduce((sum, count) => sum + count, 0);
    assert.ok(made > (createsPerLane * lanes.length) / 2, `${made} services were made`);
  }

  /** What the services have is in both places. */
  async function assertInStep(): Promise<void> {
    const { items } = (await started!.clients[0]!.get(services)).json;
    const ips = items.map(({ spec }: { spec: { clusterIP: string } }) => spec.clusterIP);
    assert.equal(new Set(ips).size, ips.length);
    await until(async () => {
      const objects = (await started!.clients[1]!.get('/apis/networking.k8s.io/v1/ipaddresses')).json.items;
      const names = new Map(objects.map((o: any) => [o.metadata.name, o.spec.parentRef.name]));
      const bitmap = Bitmap.fromBytes(decodeRange((await store.get('ranges/serviceips'))!.value).data, range.size);
      return items.every(
        ({ metadata, spec }: any) =>
          names.get(spec.clusterIP) === metadata.name && bitmap.has(range.offsetOf(spec.clusterIP)!),
      );
    }, 'objects and marks of all addresses');
  }

  it('that takes addresses by their objects', async () => {
    await churnAll('objects', addressesByObjects(store, range.itemAt, range.size));
    await assertInStep();
  });

  it('that takes addresses by a bitmap', async () => {
    await churnAll('bitmap', addressesByBitmap(store, CIDR));
    await assertInStep();
  });
});

import assert from 'node:assert/strict';
import { jobs } from '../api/batch/tokens.ts';
import { configMaps, namespaces, nodes, persistentVolumes, pods, services } from '../api/core/tokens.ts';
import { storageClasses } from '../api/storage/tokens.ts';
import { failureStatus, StatusError } from '../apimachinery/errors/status-error.ts';
import type { Job } from '../generated/types/batch-v1.ts';
import type { Namespace, Node, PersistentVolume, Pod } from '../generated/types/core-v1.ts';
import type { ControllerDescriptor } from './controller-descriptor.ts';
import type { ControllersConfig } from './controllers-config.ts';
import { ControllersFixture } from './controllers-testing.ts';
import { endpointSliceController } from './endpointslice/controller.ts';
import { jobController } from './job/controller.ts';
import { persistentVolumeBinder } from './persistent-volume-binder/controller.ts';
import { podGcController } from './pod-gc/controller.ts';
import { rootCaPublisherController } from './root-ca-publisher/controller.ts';
import { podOf, serviceOf } from './service-endpoints/objects-testing.ts';
import { taintEvictionController } from './taint-eviction/controller.ts';

const config = {
  workers: { job: 1, endpointSlice: 1 },
  endpointSlice: { batchMs: 0, endpointsMax: 2 },
  accounts: { rootCa: 'CA' },
  nodeLifecycle: { taintManager: true },
  podGc: { terminatedPodsMax: 1 },
  volumes: { binderPeriodMs: 15_000, dynamicProvisioning: true, hostPathProvisioner: false },
} as ControllersConfig;

describe('metrics of controllers', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const start = (descriptor: ControllerDescriptor): Promise<void> =>
    fixture.start(descriptor.create(fixture.context, config)!);
  const shown = (prefix: string): Record<string, number> => fixture.metrics.get(prefix);
  const wait = (ms = 1000): Promise<void> => fixture.clock.advance(ms);
  const podWith = (name: string, more: Partial<Pod>): Pod =>
    ({ metadata: { namespace: 'ns', name }, spec: { containers: [] }, status: {}, ...more }) as Pod;

  it('count the syncs, pods and ends of jobs', async () => {
    await start(jobController);
    const labels = { job: 'work' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { completions: 1, parallelism: 1, backoffLimit: 6, selector: { matchLabels: labels }, template };
    await fixture.client.create(jobs, {
      metadata: { namespace: 'ns', name: 'work' },
      spec,
      status: {},
    } as unknown as Job);
    await fixture.client.create(jobs, {
      metadata: { namespace: 'ns', name: 'other' },
      spec: { ...spec, managedBy: 'example.com/other' },
      status: {},
    } as unknown as Job);
    await wait();
    const end = async (phase: string): Promise<void> => {
      const pod = fixture.cluster.all(pods).find(({ status }) => status.phase === undefined)!;
      fixture.cluster.put(pods, { ...pod, status: { phase } } as Pod);
      await wait(60_000);
    };
    await end('Failed');
    await end('Succeeded');
    const counts = shown('job_controller_');
    assert.deepEqual(
      Object.entries(counts).filter(([name]) => !name.includes('sync')),
      [
        ['job_controller_job_pods_creation_total{reason="new",status="succeeded"}', 1],
        ['job_controller_job_pods_creation_total{reason="recreate_terminating_or_failed",status="succeeded"}', 1],
        ['job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="failed"}', 1],
        ['job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"}', 1],
        ['job_controller_jobs_by_external_controller_total{controller_name="example.com/other"}', 1],
        [
          'job_controller_jobs_finished_total{completion_mode="NonIndexed",reason="CompletionsReached",result="succeeded"}',
          1,
        ],
        ['job_controller_terminated_pods_tracking_finalizer_total{event="add"}', 2],
        ['job_controller_terminated_pods_tracking_finalizer_total{event="delete"}', 2],
      ],
    );
    const syncs = shown('job_controller_job_syncs_total{action="pods_created"');
    assert.deepEqual(Object.values(syncs), [2]);
    assert.deepEqual(
      Object.values(shown('job_controller_job_sync_duration_seconds_count')),
      Object.values(shown('job_controller_job_syncs_total')),
    );
  });

  it('count the slices of services, and what changes in them', async () => {
    for (const [i, address] of ['10.0.0.1', '10.0.0.2', '10.0.0.3'].entries())
      await fixture.client.create(pods, podOf(`p-${i}`, address));
    await fixture.client.create(nodes, { metadata: { name: 'n' }, spec: {}, status: {} } as Node);
    await fixture.client.create(services, serviceOf({ trafficDistribution: 'PreferClose' }));
    await start(endpointSliceController);
    const PREFIX = 'endpoint_slice_controller_';
    const figures = (): (number | undefined)[] => {
      const all = shown(PREFIX);
      return [
        'endpoints_desired',
        'num_endpoint_slices',
        'desired_endpoint_slices',
        'endpoints_added_per_sync_sum',
      ].map((name) => all[PREFIX + name]);
    };
    assert.deepEqual(figures(), [3, 2, 2, 3]);
    await fixture.client.delete(pods, { namespace: 'ns', name: 'p-0' }, { gracePeriodSeconds: 0 });
    await wait();
    assert.deepEqual(figures(), [2, 2, 1, 3]);
    const all = shown(PREFIX);
    assert.equal(all[`${PREFIX}endpoints_removed_per_sync_sum`], 1);
    assert.equal(all[`${PREFIX}changes{operation="create"}`], 2);
    assert.equal(all[`${PREFIX}services_count_by_traffic_distribution{traffic_distribution="PreferClose"}`], 1);
    const [service] = fixture.cluster.all(services);
    await fixture.client.delete(services, { namespace: 'ns', name: service!.metadata.name! });
    await wait();
    assert.deepEqual(figures().slice(0, 3), [0, 0, 0]);
    assert.deepEqual(shown(`${PREFIX}services_count`), {});
  });

  it('count syncs by their code', async () => {
    await fixture.client.create(namespaces, { metadata: { name: 'a' }, status: { phase: 'Active' } } as Namespace);
    fixture.client.failNext('create', new StatusError(failureStatus(503, 'ServiceUnavailable', 'away')));
    await start(rootCaPublisherController);
    await wait();
    assert.equal((await fixture.client.list(configMaps)).items.length, 1);
    const counts = shown('root_ca_cert_publisher_sync_total');
    assert.equal(counts['root_ca_cert_publisher_sync_total{code="503"}'], 1);
    assert.ok(counts['root_ca_cert_publisher_sync_total{code="200"}']! > 0);
  });

  it('time how late pods of tainted nodes go', async () => {
    const taints = [{ key: 'evil', effect: 'NoExecute' }];
    await fixture.client.create(nodes, { metadata: { name: 'a' }, spec: { taints }, status: {} } as Node);
    const tolerations = [{ key: 'evil', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }];
    await fixture.client.create(pods, podWith('now', { spec: { nodeName: 'a', containers: [] } }));
    await fixture.client.create(pods, podWith('later', { spec: { nodeName: 'a', containers: [], tolerations } }));
    await start(taintEvictionController);
    await wait(10_000);
    assert.deepEqual(shown('taint_eviction_controller_'), {
      taint_eviction_controller_pod_deletion_duration_seconds_count: 2,
      taint_eviction_controller_pod_deletion_duration_seconds_sum: 0,
      taint_eviction_controller_pod_deletions_total: 2,
    });
  });

  it('count pods that are deleted by force, by the reason', async () => {
    for (const name of ['a', 'b'])
      await fixture.client.create(pods, podWith(name, { status: { phase: 'Succeeded' } as Pod['status'] }));
    fixture.client.failNext('delete', new StatusError(failureStatus(503, 'ServiceUnavailable', 'away')));
    await start(podGcController);
    await wait(25_000);
    assert.deepEqual(shown('pod_gc_collector_'), {
      'pod_gc_collector_force_delete_pod_errors_total{namespace="ns",reason="terminated"}': 1,
      'pod_gc_collector_force_delete_pods_total{namespace="ns",reason="terminated"}': 1,
    });
  });

  it('count volumes and claims by their classes', async () => {
    const volume = (name: string, spec: object): PersistentVolume =>
      ({
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
        status: { phase: 'Available' },
      }) as PersistentVolume;
    await fixture.client.create(storageClasses, { metadata: { name: 'gold' }, provisioner: 'x' } as never);
    await fixture.client.create(persistentVolumes, volume('a', { storageClassName: 'gold', hostPath: { path: '/' } }));
    await fixture.client.create(persistentVolumes, volume('b', { csi: { driver: 'd', volumeHandle: 'h' } }));
    await start(persistentVolumeBinder);
    assert.deepEqual(shown('pv_collector_'), {
      'pv_collector_total_pv_count{plugin_name="kubernetes.io/csi:d",volume_mode="Filesystem"}': 1,
      'pv_collector_total_pv_count{plugin_name="kubernetes.io/host-path",volume_mode="Filesystem"}': 1,
      'pv_collector_unbound_pv_count{storage_class=""}': 1,
      'pv_collector_unbound_pv_count{storage_class="gold"}': 1,
    });
  });
});

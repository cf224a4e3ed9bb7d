import type { Labels } from '../apimachinery/selectors/label-requirement.ts';
import type { LabelSelector } from '../apimachinery/selectors/label-selector.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodSpec } from '../generated/types/core-v1.ts';
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../generated/types/resource-v1.ts';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '../generated/types/storage-v1.ts';
import { ClusterCache } from './cluster-cache.ts';
import type { PendingPod } from './plugin.ts';
import { schedulingPlugins } from './plugins.ts';
import { podInfoOf } from './pod-info.ts';
import { diagnosisText, PodPlacer } from './schedule-pod.ts';

/** For tests: parts of a node. */
export interface NodeParts {
  readonly labels?: Labels;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly spec?: Node['spec'];
  readonly images?: Node['status']['images'];
}

/** For tests: parts of a pod. */
export interface PodParts {
  readonly namespace?: string;
  readonly labels?: Labels;
  readonly requests?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly startTime?: string;
}

/** For tests: a node with room for 4 CPUs, 8 Gi and 110 pods. */
export function testNode(name: string, { labels = {}, allocatable = {}, spec = {}, images }: NodeParts = {}): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable },
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {} as Node['status']['nodeInfo'],
      ...(images === undefined ? {} : { images }),
    },
  };
}

let uids = 0;

export function testPod(
  name: string,
  { namespace = 'default', labels = {}, requests, spec, startTime }: PodParts = {},
): Pod {
  return {
    metadata: { name, namespace, labels: { ...labels }, uid: `uid-${++uids}` },
    spec: {
      containers: [{ name: 'main', image: 'app:1', resources: requests === undefined ? {} : { requests } }],
      ...spec,
    },
    status: startTime === undefined ? {} : { startTime },
  };
}

export function pending(pod: Pod): PendingPod {
  return { pod, info: podInfoOf(pod) };
}

/** For tests: a cluster in memory, with what plugins look up. */
export class TestCluster {
  readonly claims = new Map<string, PersistentVolumeClaim>();
  readonly volumes = new Map<string, PersistentVolume>();
  readonly classes = new Map<string, StorageClass>();
  readonly csiNodes = new Map<string, CSINode>();
  readonly csiDrivers = new Map<string, CSIDriver>();
  readonly storageCapacities: CSIStorageCapacity[] = [];
  readonly namespaces = new Map<string, Labels>();
  readonly resourceClaims = new Map<string, ResourceClaim>();
  readonly deviceClasses = new Map<string, DeviceClass>();
  readonly slices: ResourceSlice[] = [];
  readonly devicesInUse = new Set<string>();
  selector: LabelSelector | undefined;

  readonly cache = new ClusterCache({
    namespaceLabels: (namespace) => this.namespaces.get(namespace),
    workloadSelector: () => this.selector,
    volumes: {
      claim: (namespace, name) => this.claims.get(`${namespace}/${name}`),
      volume: (name) => this.volumes.get(name),
      availableVolumes: () => [...this.volumes.values()],
      storageClass: (name) => this.classes.get(name),
      csiNode: (name) => this.csiNodes.get(name),
      csiDriver: (name) => this.csiDrivers.get(name),
      storageCapacities: () => this.storageCapacities,
    },
    devices: {
      claim: (namespace, name) => this.resourceClaims.get(`${namespace}/${name}`),
      deviceClass: (name) => this.deviceClasses.get(name),
      slices: () => this.slices,
      inUse: () => this.devicesInUse,
    },
  });

  addNode(name: string, parts?: NodeParts): this {
    this.cache.setNode(testNode(name, parts));
    return this;
  }

  addPod(nodeName: string, name: string, parts: PodParts = {}): this {
    this.cache.setPod(podInfoOf(testPod(name, { ...parts, spec: { ...parts.spec, nodeName } })));
    return this;
  }
}

/** The node that a pod gets, or why it gets none. */
export function placedOn(cluster: TestCluster, parts: PodParts): string {
  const placer = new PodPlacer(schedulingPlugins, () => 0.5);
  const { node, diagnosis } = placer.place(pending(testPod('new', parts)), cluster.cache.view());
  return node?.name ?? diagnosisText(diagnosis!);
}

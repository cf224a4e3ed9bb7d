import { deepCopy } from '../../apimachinery/json/deep.ts';
import { parseQuantity } from '../../apimachinery/values/quantity.ts';
import type { PersistentVolume, Pod } from '../../generated/types/core-v1.ts';

const GI = 2n ** 30n;
const NAME_PREFIX = 'recycler-for-';
const DIRECTORY = '/scrub';

/** How the volumes of one kind are recycled. */
export interface RecyclerConfig {
  readonly minimumSeconds: number;
  /** For each whole Gi of the volume. */
  readonly incrementSeconds: number;
  /** Its first volume is replaced by the one that is recycled. Default: `defaultTemplate`. */
  readonly template?: Pod;
}

export interface RecyclersConfig {
  readonly hostPath: RecyclerConfig;
  readonly nfs: RecyclerConfig;
}

const defaultTemplate: Pod = {
  metadata: { namespace: 'default' },
  spec: {
    restartPolicy: 'Never',
    volumes: [{ name: 'vol' }],
    containers: [
      {
        name: 'pv-recycler',
        image: 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.4',
        command: ['/bin/sh'],
        args: [
          '-c',
          `test -d ${DIRECTORY} && find ${DIRECTORY} -mindepth 1 -delete && test -z "$(ls -A ${DIRECTORY})"`,
        ],
        resources: {},
        volumeMounts: [{ name: 'vol', mountPath: DIRECTORY }],
      },
    ],
  },
  status: {},
};

/** One name for each volume: two managers never run two pods for it. */
export function recyclerName({ metadata }: PersistentVolume): string {
  return `${NAME_PREFIX}${metadata.name}`;
}

/** The volume that a pod recycles, by the pod's name; undefined: it is none of these pods. */
export function recycledVolume({ metadata }: Pod): string | undefined {
  return metadata.name!.startsWith(NAME_PREFIX) ? metadata.name!.slice(NAME_PREFIX.length) : undefined;
}

/** The pod that recycles a volume. */
export function recyclerPod(volume: PersistentVolume, config: RecyclerConfig): Pod {
  const { hostPath, nfs, capacity } = volume.spec;
  const { template = defaultTemplate, minimumSeconds, incrementSeconds } = config;
  const { metadata, spec } = deepCopy(template);
  const { generateName: _generated, ...named } = metadata;
  const wholeGi = Number(parseQuantity(capacity?.['storage'] ?? '0').value() / GI);
  const [first, ...others] = spec.volumes ?? [];
  const source = hostPath === undefined ? { nfs: nfs! } : { hostPath: { path: hostPath.path } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...named, namespace: metadata.namespace ?? 'default', name: recyclerName(volume) },
    spec: {
      ...spec,
      activeDeadlineSeconds: Math.max(minimumSeconds, wholeGi * incrementSeconds),
      volumes: [{ name: first?.name ?? 'vol', ...source }, ...others],
    },
    status: {},
  };
}

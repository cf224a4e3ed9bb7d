import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { randSuffix } from '../../apimachinery/names/rand-suffix.ts';
import type { Pod, Volume } from '../../generated/types/core-v1.ts';

/** Where programs look for their token. */
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const NAME_PREFIX = 'kube-api-access-';
const MODE = 0o644;
/** An hour and seven seconds: with the prefix of the volume's name this shows nodes that the server chose the time. */
const EXPIRATION_SECONDS = 3607;

/**
 * Mounts a volume with a token of the account, the cluster's CA and the namespace's name into every container without a
 * mount there.
 */
export function mountProjectedToken(pod: Pod): void {
  const there = (pod.spec.volumes ?? []).find(({ name }) => name.startsWith(NAME_PREFIX));
  mount(pod, there, () => ({
    name: `${NAME_PREFIX}${randSuffix()}`,
    projected: { defaultMode: MODE, sources: tokenSources() },
  }));
}

/** Mounts a secret with the account's token, as servers did before tokens were bound to pods. */
export function mountSecretToken(pod: Pod, secretName: string): void {
  const volumes = pod.spec.volumes ?? [];
  const there = volumes.find(({ secret }) => secret?.secretName === secretName);
  // Names of volumes have no dots.
  const wanted = secretName.replaceAll('.', '-');
  const isTaken = volumes.some(({ name }) => name === wanted);
  mount(pod, there, () => ({
    name: isTaken ? `${wanted}-${randSuffix()}` : wanted,
    secret: { secretName, defaultMode: MODE },
  }));
}

function mount({ spec }: Pod, there: Volume | undefined, make: () => Volume): void {
  const volume = there ?? make();
  let isNeeded = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name: volume.name, readOnly: true, mountPath: MOUNT_PATH },
    ];
    isNeeded = true;
  }
  if (isNeeded && there === undefined) spec.volumes = [...(spec.volumes ?? []), volume];
}

/** The token, the cluster's CA, the namespace. Nodes start such pods once the config map is in their namespace. */
function tokenSources(): NonNullable<NonNullable<Volume['projected']>['sources']> {
  return [
    { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ];
}

/** Whether a volume holds exactly the one that is mounted here for every pod. */
export function isTokenVolume({ projected }: Volume): boolean {
  return semanticDeepEqual(projected?.sources, tokenSources());
}

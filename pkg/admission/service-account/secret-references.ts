import type { Container, EnvFromSource, EnvVar, Pod, PodSpec, ServiceAccount } from '../../generated/types/core-v1.ts';

type Referring = Pick<Container, 'name'> & { env?: EnvVar[]; envFrom?: EnvFromSource[] };

/**
 * The first secret of a pod that its account does not list, as a message for the client; undefined when it lists all.
 */
export function unlistedSecret({ spec }: Pod, account: ServiceAccount): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  const words = `is not allowed because service account ${account.metadata.name} does not reference that secret`;
  for (const { secret } of spec.volumes ?? []) {
    if (secret !== undefined && !listed.has(secret.secretName ?? ''))
      return `volume with secret.secretName="${secret.secretName ?? ''}" ${words}`;
  }
  for (const [called, list] of containerLists(spec)) {
    for (const container of list) {
      const reference = unlistedInEnvironment(container, listed);
      if (reference !== undefined) return `${called} ${container.name} with ${reference} ${words}`;
    }
  }
  return unlistedPullSecret(spec, account);
}

/** The first secret of a debug container that the pod's account does not list. */
export function unlistedEphemeralSecret({ spec }: Pod, account: ServiceAccount): string | undefined {
  const listed = new Set((account.secrets ?? []).map(({ name }) => name));
  for (const container of spec.ephemeralContainers ?? []) {
    const reference = unlistedInEnvironment(container, listed);
    if (reference !== undefined) {
      return `ephemeral container ${container.name} with ${reference} is not allowed because service account ${account.metadata.name} does not reference that secret`;
    }
  }
  return undefined;
}

function containerLists(spec: PodSpec): [string, readonly Referring[]][] {
  return [
    ['init container', spec.initContainers ?? []],
    ['container', spec.containers ?? []],
  ];
}

function unlistedInEnvironment(
  { env, envFrom }: Referring,
  listed: ReadonlySet<string | undefined>,
): string | undefined {
  for (const { name, valueFrom } of env ?? []) {
    const secret = valueFrom?.secretKeyRef;
    if (secret !== undefined && !listed.has(secret.name ?? ''))
      return `envVar ${name} referencing secret.secretName="${secret.name ?? ''}"`;
  }
  for (const { secretRef } of envFrom ?? []) {
    if (secretRef !== undefined && !listed.has(secretRef.name ?? ''))
      return `envFrom referencing secret.secretName="${secretRef.name ?? ''}"`;
  }
  return undefined;
}

function unlistedPullSecret(spec: PodSpec, { metadata, imagePullSecrets }: ServiceAccount): string | undefined {
  const listed = new Set((imagePullSecrets ?? []).map(({ name }) => name));
  for (const [i, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!listed.has(name))
      return `imagePullSecrets[${i}].name="${name ?? ''}" is not allowed because service account ${metadata.name} does not reference that imagePullSecret`;
  }
  return undefined;
}

import { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import { isDns1123Label } from '../../../apimachinery/names/names.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type { Container, PodSpec, PodTemplateSpec, VolumeSource } from '../../../generated/types/core-v1.ts';
import { warnOfIp, type Warn } from '../../validation/ip-warnings.ts';
import { SECCOMP_CONTAINER_PREFIX, SECCOMP_POD } from './annotations.ts';
import { eachContainer } from './each-container.ts';
import { claimSpecWarnings } from '../persistent-volume-claim/claim-spec-warnings.ts';
import { warnOfPortNames, warnOfPorts } from './port-warnings.ts';

/**
 * Texts for the Warning header: settings of a pod that may not do what the author expects. Words are those of
 * Kubernetes.
 */

const DEPRECATED_NODE_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

const DEPRECATED_VOLUMES: readonly [source: keyof VolumeSource, name: string, text: string][] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const NULL_SELECTOR = 'a null labelSelector results in matching no pod';
const SECCOMP_ANNOTATION = 'deprecated since v1.19, non-functional in v1.27; use the "seccompProfile" field instead';

/** Warnings about a pod. */
export function podWarnings(pod: { metadata: ObjectMeta; spec: PodSpec }): string[] {
  const problems = isDns1123Label(pod.metadata.name ?? '');
  const ofName =
    problems.length === 0
      ? []
      : [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
        ];
  return [...ofName, ...warningsAt(pod, FieldPath.root())];
}

/** Warnings about the template at `path`. */
export function podTemplateWarnings(template: PodTemplateSpec, path: FieldPath): string[] {
  return warningsAt(template, path);
}

function warningsAt({ metadata, spec }: { metadata: ObjectMeta; spec: PodSpec }, path: FieldPath): string[] {
  const warnings: string[] = [];
  const warn = (at: FieldPath, text: string): void => void warnings.push(`${at.toString()}: ${text}`);
  const specPath = path.child('spec');
  const annotationsPath = path.child('metadata', 'annotations');
  warnOfNodeLabels(spec, specPath, warn);
  for (const [key, text] of Object.entries(DEPRECATED_ANNOTATIONS)) {
    if (getKey(metadata.annotations, key) !== undefined) warn(annotationsPath.key(key), text);
  }
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    const at = specPath.child('volumes').index(i);
    for (const [source, name, text] of DEPRECATED_VOLUMES) if (volume[source] !== undefined) warn(at.child(name), text);
    const claim = volume.ephemeral?.volumeClaimTemplate;
    if (claim !== undefined)
      warnings.push(...claimSpecWarnings(claim.spec, at.child('ephemeral', 'volumeClaimTemplate', 'spec')));
  }
  warnOfRepeats(spec, specPath, warn);
  warnOfFractions(spec.overhead, specPath.child('overhead'), warn);
  if (spec.securityContext?.seccompProfile === undefined && getKey(metadata.annotations, SECCOMP_POD) !== undefined) {
    warn(annotationsPath.key(SECCOMP_POD), SECCOMP_ANNOTATION);
  }
  for (const [container, at] of eachContainer(spec, specPath)) {
    const key = SECCOMP_CONTAINER_PREFIX + container.name;
    if (container.securityContext?.seccompProfile === undefined && getKey(metadata.annotations, key) !== undefined)
      warn(annotationsPath.key(key), SECCOMP_ANNOTATION);
    warnOfContainer(container, at, warn);
  }
  warnOfPorts(spec, specPath, warn);
  warnOfPortNames(spec, specPath, warn);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warn(
      specPath.child('terminationGracePeriodSeconds'),
      'must be >= 0; negative values are invalid and will be treated as 1',
    );
  }
  warnOfNullSelectors(spec, specPath, warn);
  for (const [i, server] of (spec.dnsConfig?.nameservers ?? []).entries())
    warnOfIp(server, specPath.child('dnsConfig', 'nameservers').index(i), warn);
  for (const [i, { ip }] of (spec.hostAliases ?? []).entries())
    warnOfIp(ip, specPath.child('hostAliases').index(i).child('ip'), warn);
  return warnings;
}

function warnOfNodeLabels(spec: PodSpec, path: FieldPath, warn: Warn): void {
  for (const key of Object.keys(spec.nodeSelector ?? {})) {
    const text = getKey<string>(DEPRECATED_NODE_LABELS, key);
    if (text !== undefined) warn(path.child('nodeSelector').key(key), text);
  }
  const check = (key: string, at: () => FieldPath): void => {
    const text = getKey<string>(DEPRECATED_NODE_LABELS, key);
    if (text !== undefined) warn(at(), `${key} is ${text}`);
  };
  const affinity = spec.affinity?.nodeAffinity;
  const affinityPath = path.child('affinity', 'nodeAffinity');
  for (const [i, term] of (
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  ).entries()) {
    for (const [j, { key }] of (term.matchExpressions ?? []).entries()) {
      check(key, () =>
        affinityPath
          .child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
          .index(i)
          .child('matchExpressions')
          .index(j)
          .child('key'),
      );
    }
  }
  for (const [i, { preference }] of (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    for (const [j, { key }] of (preference.matchExpressions ?? []).entries()) {
      check(key, () =>
        affinityPath
          .child('preferredDuringSchedulingIgnoredDuringExecution')
          .index(i)
          .child('preference', 'matchExpressions')
          .index(j)
          .child('key'),
      );
    }
  }
  for (const [i, { topologyKey, labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const at = path.child('topologySpreadConstraints').index(i);
    check(topologyKey, () => at.child('topologyKey'));
    if (labelSelector === undefined) warn(at.child('labelSelector'), NULL_SELECTOR);
  }
}

/** Terms without a selector select nothing, which is hardly intended. */
function warnOfNullSelectors({ affinity }: PodSpec, path: FieldPath, warn: Warn): void {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const kindPath = path.child('affinity', kind);
    for (const [i, { labelSelector }] of (
      affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    ).entries()) {
      if (labelSelector === undefined)
        warn(
          kindPath.child('requiredDuringSchedulingIgnoredDuringExecution').index(i).child('labelSelector'),
          NULL_SELECTOR,
        );
    }
    for (const [i, { podAffinityTerm }] of (
      affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    ).entries()) {
      if (podAffinityTerm.labelSelector === undefined)
        warn(
          kindPath
            .child('preferredDuringSchedulingIgnoredDuringExecution')
            .index(i)
            .child('podAffinityTerm', 'labelSelector'),
          NULL_SELECTOR,
        );
    }
  }
}

/** Entries of lists with keys: clients that patch by key lose the second of two. */
function warnOfRepeats(spec: PodSpec, path: FieldPath, warn: Warn): void {
  repeats(
    (spec.hostAliases ?? []).map((a) => a.ip),
    (i, ip) => warn(path.child('hostAliases').index(i).child('ip'), `duplicate ip ${goQuote(ip)}`),
  );
  const secrets = (spec.imagePullSecrets ?? []).map((s) => s.name ?? '');
  const secretPath = (i: number): FieldPath => path.child('imagePullSecrets').index(i).child('name');
  repeats(secrets, (i, name) => warn(secretPath(i), `duplicate name ${goQuote(name)}`));
  for (const [i, name] of secrets.entries()) if (name === '') warn(secretPath(i), 'invalid empty name ""');
}

function repeats(values: readonly string[], report: (i: number, value: string) => void): void {
  const seen = new Set<string>();
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) report(i, value);
    seen.add(value);
  }
}

function warnOfContainer(container: Container, path: FieldPath, warn: Warn): void {
  const { limits, requests } = container.resources;
  for (const name of FRACTION_RESOURCES) {
    warnOfFraction(limits, name, path.child('resources', 'limits'), warn);
    warnOfFraction(requests, name, path.child('resources', 'requests'), warn);
  }
  const env = container.env ?? [];
  repeats(
    env.map((e) => e.name),
    (i, name) => {
      // A value that refers to the one before is intended.
      const { value = '', valueFrom } = env[i]!;
      const before = `$(${name})`;
      if (valueFrom === undefined && value !== before && value.includes(before)) return;
      warn(
        path.child('env').index(i),
        `hides previous definition of ${goQuote(name)}, which may be dropped when using apply`,
      );
    },
  );
}

const FRACTION_RESOURCES = ['memory', 'ephemeral-storage'];

function warnOfFractions(list: Record<string, string> | undefined, path: FieldPath, warn: Warn): void {
  for (const name of FRACTION_RESOURCES) warnOfFraction(list, name, path, warn);
}

function warnOfFraction(list: Record<string, string> | undefined, name: string, path: FieldPath, warn: Warn): void {
  const amount = getKey<string>(list, name);
  if (amount !== undefined && parseQuantity(amount).milliValue() % 1000n !== 0n) {
    warn(path.key(name), `fractional byte value ${goQuote(amount)} is invalid, must be an integer`);
  }
}

import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import type { Container, PodSpec, PodTemplateSpec } from '../../../generated/types/core-v1.ts';
import { setContainerDefaults } from './container-defaults.ts';
import { roundResourceList } from './resource-list.ts';
import { setVolumeDefaults } from './volume-defaults.ts';

/** Sets the defaults of a pod's spec, containers and volumes included. In place; idempotent. */
export function setPodSpecDefaults(spec: PodSpec): void {
  if (!spec.dnsPolicy) spec.dnsPolicy = 'ClusterFirst';
  if (!spec.restartPolicy) spec.restartPolicy = 'Always';
  if (!spec.schedulerName) spec.schedulerName = 'default-scheduler';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  setServiceAccountNames(spec);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container as Container);
  roundResourceList(spec.overhead);
  roundResourceList(spec.resources?.limits);
  roundResourceList(spec.resources?.requests);
}

/** The same for a template. */
export function setPodTemplateDefaults(template: PodTemplateSpec): void {
  dropInitContainerAnnotations(template.metadata);
  setPodSpecDefaults(template.spec);
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are always there with one value. */
function setServiceAccountNames(spec: PodSpec): void {
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount;
}

const INIT_CONTAINER_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
];

/** Removes the annotations in which very old clients keep init containers, so that they do not look like a change. */
export function dropInitContainerAnnotations(meta: ObjectMeta): void {
  if (meta.annotations === undefined) return;
  for (const key of INIT_CONTAINER_ANNOTATIONS) delete meta.annotations[key];
  if (Object.keys(meta.annotations).length === 0) delete meta.annotations;
}

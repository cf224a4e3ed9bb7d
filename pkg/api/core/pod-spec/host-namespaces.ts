import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { PodSpec } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';

const HOST_NAME_BYTES_MAX = 64;

/** A pod with its own user namespace shares no other namespace with its node. */
export function validateHostNamespaces(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  if (spec.hostUsers !== false) return;
  const detail = 'when `pod.Spec.HostUsers` is false';
  if (spec.hostNetwork) errors.forbidden(path.child('hostNetwork'), detail);
  // Spelled as Kubernetes spells them here.
  if (spec.hostPID) errors.forbidden(path.child('HostPID'), detail);
  if (spec.hostIPC) errors.forbidden(path.child('HostIPC'), detail);
}

/** The name that replaces all others inside the pod. */
export function validateHostname(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const name = spec.hostnameOverride;
  if (name === undefined) return;
  const at = path.child('hostnameOverride');
  if (spec.hostNetwork) errors.forbidden(at, 'may not be specified when `hostNetwork` is true');
  if (spec.setHostnameAsFQDN) errors.forbidden(at, 'may not be specified when `setHostnameAsFQDN` is true');
  if (Buffer.byteLength(name) > HOST_NAME_BYTES_MAX) errors.tooLong(at, name, HOST_NAME_BYTES_MAX);
  reportProblems(isDns1123Subdomain(name), name, at, errors);
}

import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';

import {
  isDns1123Subdomain,
  isValidIp,
  isWildcardDns1123Subdomain,
  nameIsDns1123Subdomain,
} from '../../../apimachinery/names/names.ts';
import type { HTTPIngressPath, Ingress, IngressRule, IngressSpec } from '../../../generated/types/networking-v1.ts';
import { validateBackend } from './backend-validation.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_SEQUENCES_REFUSED = ['//', '/./', '/../', '%2f', '%2F'];
const PATH_SUFFIXES_REFUSED = ['/..', '/.'];

/** Errors that an update may keep because the stored object has them already. */
interface Tolerance {
  readonly invalidSecretName: boolean;
  readonly invalidWildcardHostRule: boolean;
}

const NO_TOLERANCE: Tolerance = { invalidSecretName: false, invalidWildcardHostRule: false };

export function validateIngress(ingress: Ingress, errors: FieldErrors): void {
  validateSpec(ingress.spec, NO_TOLERANCE, errors);
  const annotation = ingress.metadata.annotations?.[CLASS_ANNOTATION];
  if (annotation !== undefined && ingress.spec.ingressClassName !== undefined) {
    errors.invalid(
      field('annotations', CLASS_ANNOTATION),
      annotation,
      'can not be set when the class field is also set',
    );
  }
}

export function validateIngressUpdate(ingress: Ingress, old: Ingress, errors: FieldErrors): void {
  validateSpec(
    ingress.spec,
    {
      invalidSecretName: (old.spec.tls ?? []).some((tls) => secretNameProblems(tls.secretName).length > 0),
      invalidWildcardHostRule: (old.spec.rules ?? []).some(isInvalidWildcardRule),
    },
    errors,
  );
}

export function ingressWarnings(ingress: Ingress, old: Ingress | undefined): string[] {
  if (old !== undefined || ingress.spec.ingressClassName !== undefined) return [];
  if (ingress.metadata.annotations?.[CLASS_ANNOTATION] === undefined) return [];
  return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
}

function validateSpec(spec: IngressSpec, tolerance: Tolerance, errors: FieldErrors): void {
  const path = field('spec');
  const rules = spec.rules ?? [];
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    errors.invalid(path, null, 'either `defaultBackend` or `rules` must be specified');
  }
  if (spec.defaultBackend !== undefined) validateBackend(spec.defaultBackend, path.child('defaultBackend'), errors);
  for (const [i, rule] of rules.entries()) validateRule(rule, tolerance, path.child('rules').index(i), errors);
  validateTls(spec, tolerance, path.child('tls'), errors);
  if (spec.ingressClassName === undefined) return;
  for (const problem of nameIsDns1123Subdomain(spec.ingressClassName, false)) {
    errors.invalid(path.child('ingressClassName'), spec.ingressClassName, problem);
  }
}

function validateTls(spec: IngressSpec, tolerance: Tolerance, path: FieldPath, errors: FieldErrors): void {
  for (const [i, tls] of (spec.tls ?? []).entries()) {
    const tlsPath = path.index(i);
    for (const [j, host] of (tls.hosts ?? []).entries()) {
      for (const problem of hostProblems(host)) errors.invalid(tlsPath.child('hosts').index(j), host, problem);
    }
    if (tolerance.invalidSecretName) continue;
    for (const problem of secretNameProblems(tls.secretName))
      errors.invalid(tlsPath.child('secretName'), tls.secretName, problem);
  }
}

function validateRule(rule: IngressRule, tolerance: Tolerance, path: FieldPath, errors: FieldErrors): void {
  const host = rule.host ?? '';
  if (host !== '') {
    if (isValidIp(host).length === 0) errors.invalid(path.child('host'), host, 'must be a DNS name, not an IP address');
    for (const problem of hostProblems(host)) errors.invalid(path.child('host'), host, problem);
  }
  const wildcard = host.includes('*');
  if (rule.http === undefined || (wildcard && tolerance.invalidWildcardHostRule)) return;
  const pathsPath = path.child('http', 'paths');
  const paths = rule.http.paths ?? [];
  if (paths.length === 0) errors.required(pathsPath);
  for (const [i, httpPath] of paths.entries()) validateHttpPath(httpPath, pathsPath.index(i), errors);
}

function validateHttpPath(httpPath: HTTPIngressPath, path: FieldPath, errors: FieldErrors): void {
  const text = httpPath.path ?? '';
  const textPath = path.child('path');
  switch (httpPath.pathType) {
    case null:
    case undefined:
      return errors.required(path.child('pathType'), 'pathType must be specified');
    case 'Exact':
    case 'Prefix':
      if (!text.startsWith('/')) errors.invalid(textPath, text, 'must be an absolute path');
      for (const part of PATH_SEQUENCES_REFUSED)
        if (text.includes(part)) errors.invalid(textPath, text, `must not contain '${part}'`);
      for (const end of PATH_SUFFIXES_REFUSED)
        if (text.endsWith(end)) errors.invalid(textPath, text, `cannot end with '${end}'`);
      break;
    case 'ImplementationSpecific':
      if (text !== '' && !text.startsWith('/')) errors.invalid(textPath, text, 'must be an absolute path');
      break;
    default:
      errors.notSupported(path.child('pathType'), httpPath.pathType, ['Exact', 'ImplementationSpecific', 'Prefix']);
  }
  validateBackend(httpPath.backend, path.child('backend'), errors);
}

function hostProblems(host: string): string[] {
  return host.includes('*') ? isWildcardDns1123Subdomain(host) : isDns1123Subdomain(host);
}

function secretNameProblems(name: string | undefined): string[] {
  return name ? nameIsDns1123Subdomain(name, false) : [];
}

/** Rules of wildcard hosts once went unchecked below the host. */
function isInvalidWildcardRule(rule: IngressRule): boolean {
  if (!rule.host?.includes('*') || rule.http === undefined) return false;
  return (rule.http.paths ?? []).length === 0 || (rule.http.paths ?? []).some((path) => path.pathType === null);
}

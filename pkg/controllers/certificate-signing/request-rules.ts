import type { CertificateRequest } from '../../api/certificates/certificate-request.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';

/** Why a signer does not sign a request, in the words of stock clusters; undefined where it does. */
export type RequestRule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** The built-in signers. */
export const requestRules: ReadonlyMap<string, RequestRule> = new Map<string, RequestRule>([
  ['kubernetes.io/kubelet-serving', kubeletServingProblem],
  ['kubernetes.io/kube-apiserver-client-kubelet', kubeletClientProblem],
  ['kubernetes.io/kube-apiserver-client', apiServerClientProblem],
  ['kubernetes.io/legacy-unknown', () => undefined],
]);

const NODES = 'system:nodes';
const NODE_PREFIX = 'system:node:';

function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!deepEqual(request.organizations, [NODES])) return `subject organization is not ${NODES}`;
  if (request.dnsNames.length === 0 && request.ipCount === 0) return 'DNS or IP subjectAltName is required';
  if (request.emails.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return usagesProblem(usages, 'server auth') ?? nodeNameProblem(request);
}

export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!deepEqual(request.organizations, [NODES])) return `subject organization is not ${NODES}`;
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.emails.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.ipCount > 0) return 'IP subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return nodeNameProblem(request) ?? usagesProblem(usages, 'client auth');
}

function apiServerClientProblem(_: CertificateRequest, usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

function nodeNameProblem({ commonName }: CertificateRequest): string | undefined {
  return commonName.startsWith(NODE_PREFIX) ? undefined : `subject common name does not begin with ${NODE_PREFIX}`;
}

/** Keys that encipher nothing, other than those of RSA, leave the second one out. */
function usagesProblem(usages: readonly string[], purpose: string): string | undefined {
  const required = new Set(['digital signature', 'key encipherment', purpose]);
  const given = new Set(usages);
  const isComplete = [...required].every((usage) => usage === 'key encipherment' || given.has(usage));
  if (isComplete && [...given].every((usage) => required.has(usage))) return undefined;
  return `usages did not match [${[...required].toSorted().join(' ')}]`;
}

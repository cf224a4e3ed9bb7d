import type {
  CertificateSigningRequest,
  CertificateSigningRequestSpec,
} from '../../../generated/types/certificates-v1beta1.ts';
import { type CertificateRequest, parseCertificateRequest } from '../certificate-request.ts';
import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, LEGACY_SIGNER } from '../signer-name.ts';

const NODES_GROUP = 'system:nodes';
const NODE_USER_PREFIX = 'system:node:';

/** The beta version chooses a signer by the form of the request, and sets the status of conditions to true. */
export function setBetaDefaults({ spec, status }: CertificateSigningRequest): void {
  spec.usages ??= ['digital signature', 'key encipherment'];
  spec.signerName ??= signerFor(spec);
  for (const condition of status.conditions ?? []) condition.status ||= 'True';
}

function signerFor(spec: CertificateSigningRequestSpec): string {
  let request: CertificateRequest;
  try {
    request = parseCertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString('latin1'));
  } catch {
    // Validation reports a malformed request; until then it has the default signer.
    return LEGACY_SIGNER;
  }
  if (isOfNode(request) && request.dnsNames.length + request.ipCount === 0 && hasUsages(spec, 'client auth'))
    return KUBELET_CLIENT_SIGNER;
  if (isOfNode(request) && request.dnsNames.length + request.ipCount > 0 && hasUsages(spec, 'server auth'))
    return KUBELET_SERVING_SIGNER;
  return LEGACY_SIGNER;
}

function isOfNode({ commonName, organizations, emails, uris }: CertificateRequest): boolean {
  return (
    organizations.length === 1 &&
    organizations[0] === NODES_GROUP &&
    commonName.startsWith(NODE_USER_PREFIX) &&
    emails.length === 0 &&
    uris.length === 0
  );
}

/** Exactly `digital signature` and the purpose, with or without the key encipherment that only RSA has. */
function hasUsages({ usages = [] }: CertificateSigningRequestSpec, purpose: string): boolean {
  const wanted = new Set(usages);
  wanted.delete('key encipherment');
  return wanted.size === 2 && wanted.has('digital signature') && wanted.has(purpose);
}

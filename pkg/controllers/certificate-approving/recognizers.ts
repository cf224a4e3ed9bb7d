import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import type { CertificateRequest } from '../../api/certificates/certificate-request.ts';
import { kubeletClientProblem } from '../certificate-signing/request-rules.ts';

/** Requests that are approved without anyone's decision, where who asks has a right of its own. */
export interface Recognizer {
  /** Of `certificatesigningrequests`, which the requester may create. */
  readonly subresource: string;
  readonly message: string;
  readonly recognizes: (object: CertificateSigningRequest, request: CertificateRequest) => boolean;
}

export const recognizers: readonly Recognizer[] = [
  {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    recognizes: (object, request) => isNodeClient(object, request) && object.spec.username === request.commonName,
  },
  {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    recognizes: isNodeClient,
  },
];

function isNodeClient({ spec }: CertificateSigningRequest, request: CertificateRequest): boolean {
  return (
    spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet' &&
    kubeletClientProblem(request, spec.usages ?? []) === undefined
  );
}

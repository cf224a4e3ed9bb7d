import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import { parseCertificateRequest } from '../../api/certificates/certificate-request.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = 'system:masters';

/** Refuses certificate requests for the group that may do everything. */
export function certificateSubjectRestrictionPlugin(): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    validate: handles(requestsOn(certificateSigningRequests, 'CREATE'), (request) => {
      const { spec } = request.object;
      if (spec.signerName !== CLIENT_SIGNER) return;
      if (organizations(request, spec.request ?? '').includes(MASTERS))
        throw refusal(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
    }),
  };
}

function organizations(request: AdmissionRequest, encoded: string): readonly string[] {
  try {
    return parseCertificateRequest(Buffer.from(encoded, 'base64').toString('latin1')).organizations;
  } catch (error) {
    throw refusal(request, `failed to parse CSR: ${(error as Error).message}`);
  }
}

import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { maySign } from '../signer-permission.ts';
import { isFor, handles } from '../handles.ts';

/** Approving or denying a certificate request needs leave for its signer besides leave for the request. */
export function certificateApprovalPlugin(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate: handles(isApproval, async (request) => {
      // The stored request counts: the signer that an approval names is not taken over.
      const { signerName = '' } = (request.oldObject as CertificateSigningRequest).spec;
      if (await maySign(authorizer, request.user, 'approve', signerName)) return;
      throw refusal(request, `user not permitted to approve requests with signerName ${goQuote(signerName)}`);
    }),
  };
}

function isApproval(request: AdmissionRequest): boolean {
  return (
    request.operation === 'UPDATE' &&
    request.subresource === 'approval' &&
    isFor(request, 'certificates.k8s.io', 'certificatesigningrequests')
  );
}

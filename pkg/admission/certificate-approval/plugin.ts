import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { maySign } from '../signer-permission.ts';
import { handles, requestsOnPath } from '../handles.ts';

/** Approving or denying a certificate request needs a permission for its signer besides that for the request. */
export function certificateApprovalPlugin(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate: handles(requestsOnPath(certificateSigningRequests, 'approval', 'UPDATE'), async (request) => {
      // The stored request counts: the signer in an approval is ignored.
      const { signerName = '' } = request.oldObject.spec;
      if (await maySign(authorizer, request.user, 'approve', signerName)) return;
      throw refusal(request, `user not permitted to approve requests with signerName ${goQuote(signerName)}`);
    }),
  };
}

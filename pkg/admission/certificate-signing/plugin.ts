import { certificateSigningRequests } from '../../api/certificates/tokens.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { maySign } from '../signer-permission.ts';
import { handles, requestsOnPath } from '../handles.ts';

/** Setting a request's certificate or conditions needs the permission to sign for its signer. */
export function certificateSigningPlugin(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate: handles(requestsOnPath(certificateSigningRequests, 'status', 'UPDATE'), async (request) => {
      const { status } = request.object;
      const old = request.oldObject;
      if (status.certificate === old.status.certificate && semanticDeepEqual(status.conditions, old.status.conditions))
        return;
      const { signerName = '' } = old.spec;
      if (await maySign(authorizer, request.user, 'sign', signerName)) return;
      throw refusal(request, `user not permitted to sign requests with signerName ${goQuote(signerName)}`);
    }),
  };
}

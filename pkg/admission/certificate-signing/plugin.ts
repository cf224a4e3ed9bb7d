import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { maySign } from '../signer-permission.ts';
import { isFor, handles } from '../handles.ts';

/** Setting a request's certificate or conditions needs leave to sign for its signer. */
export function certificateSigningPlugin(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate: handles(isStatusUpdate, async (request) => {
      const { status } = request.object as CertificateSigningRequest;
      const old = request.oldObject as CertificateSigningRequest;
      if (status.certificate === old.status.certificate && semanticDeepEqual(status.conditions, old.status.conditions))
        return;
      const { signerName = '' } = old.spec;
      if (await maySign(authorizer, request.user, 'sign', signerName)) return;
      throw refusal(request, `user not permitted to sign requests with signerName ${goQuote(signerName)}`);
    }),
  };
}

function isStatusUpdate(request: AdmissionRequest): boolean {
  return (
    request.operation === 'UPDATE' &&
    request.subresource === 'status' &&
    isFor(request, 'certificates.k8s.io', 'certificatesigningrequests')
  );
}

import { parseCertificateRequest } from '../../api/certificates/certificate-request.ts';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import { hasCondition, withCondition } from './conditions.ts';
import { createCertificate } from './create-certificate.ts';
import { requestRules } from './request-rules.ts';
import type { Issuer } from '../../api/certificates/issuer.ts';
import { validityOf } from './validity.ts';

export interface SigningSteps {
  /** Undefined: this signer is not ours. */
  readonly issuerOf: (signer: string) => Issuer | undefined;
  readonly durationMaxMs: number;
  readonly writeStatus: (object: CertificateSigningRequest) => Promise<unknown>;
  readonly nowMs: number;
  /** RFC 3339. */
  readonly now: string;
}

/** One request: a certificate where it was approved and its signer's rules allow it, a condition where they do not. */
export async function reconcile(object: CertificateSigningRequest, steps: SigningSteps): Promise<void> {
  const { spec, status } = object;
  if (status.certificate || !hasCondition(object, 'Approved')) return;
  if (hasCondition(object, 'Denied') || hasCondition(object, 'Failed')) return;
  const issuer = steps.issuerOf(spec.signerName);
  const rule = requestRules.get(spec.signerName);
  if (issuer === undefined || rule === undefined) return;
  const request = parseCertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString('latin1'));
  const usages = spec.usages ?? [];
  const problem = rule(request, usages);
  if (problem !== undefined) {
    const condition = { type: 'Failed', reason: 'SignerValidationFailure', message: problem };
    await steps.writeStatus(withCondition(object, condition, steps.now));
    return;
  }
  const validity = validityOf(spec.expirationSeconds, steps.durationMaxMs, issuer.validToMs, steps.nowMs);
  const certificate = Buffer.from(createCertificate(issuer, request, usages, validity)).toString('base64');
  await steps.writeStatus({ ...object, status: { ...status, certificate } });
}

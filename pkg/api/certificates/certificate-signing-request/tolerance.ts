import type { CertificateSigningRequest } from '../../../generated/types/certificates-v1.ts';
import { KeyUsageValues } from '../../../generated/types/certificates-v1.ts';
import { LEGACY_SIGNER } from '../signer-name.ts';
import { statusCertificateProblem } from './status-certificate.ts';

/** Errors that are ignored because the stored object has them already, or because the beta version never checked. */
export interface Tolerance {
  readonly bothApprovedAndDenied: boolean;
  readonly legacySignerName: boolean;
  readonly duplicateConditionTypes: boolean;
  readonly emptyConditionTypes: boolean;
  readonly arbitraryCertificate: boolean;
  readonly duplicateUsages: boolean;
  readonly unknownUsages: boolean;
  readonly resetCertificate: boolean;
}

const EVERYTHING: Tolerance = {
  bothApprovedAndDenied: true,
  legacySignerName: true,
  duplicateConditionTypes: true,
  emptyConditionTypes: true,
  arbitraryCertificate: true,
  duplicateUsages: true,
  unknownUsages: true,
  resetCertificate: true,
};

export function toleranceFor(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest | undefined,
  requestVersion: string,
): Tolerance {
  if (requestVersion === 'certificates.k8s.io/v1beta1') return EVERYTHING;
  const types = (old?.status.conditions ?? []).map((condition) => condition.type);
  const usages = old?.spec.usages ?? [];
  return {
    bothApprovedAndDenied: types.includes('Approved') && types.includes('Denied'),
    legacySignerName: old?.spec.signerName === LEGACY_SIGNER,
    duplicateConditionTypes: new Set(types).size < types.length,
    emptyConditionTypes: types.includes(''),
    arbitraryCertificate:
      old !== undefined &&
      (object.status.certificate === old.status.certificate ||
        statusCertificateProblem(old.status.certificate) !== undefined),
    duplicateUsages: new Set(usages).size < usages.length,
    unknownUsages: usages.some((usage) => !KeyUsageValues.includes(usage)),
    resetCertificate: false,
  };
}

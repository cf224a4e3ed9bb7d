import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';

/** Whatever its status: as signers have read conditions from the beginning. */
export function hasCondition({ status }: CertificateSigningRequest, type: string): boolean {
  return status.conditions?.some((condition) => condition.type === type) ?? false;
}

/** A copy with one more condition, which is true. */
export function withCondition(
  object: CertificateSigningRequest,
  condition: { readonly type: string; readonly reason: string; readonly message: string },
  now: string,
): CertificateSigningRequest {
  const added = { ...condition, status: 'True', lastUpdateTime: now, lastTransitionTime: now };
  return { ...object, status: { ...object.status, conditions: [...(object.status.conditions ?? []), added] } };
}

import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';

const HOUR_MS = 3600_000;
/** How long a request stays after its last change. */
const SETTLED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** When a request is deleted; undefined: it cannot be said. */
export function deadlineMs({ metadata, status }: CertificateSigningRequest): number | undefined {
  const settled = (status.conditions ?? []).flatMap(({ type, lastUpdateTime }) => {
    // One that was approved waits for its signer as long as it takes.
    const isSettled = type === 'Denied' || type === 'Failed' || (type === 'Approved' && Boolean(status.certificate));
    return isSettled && lastUpdateTime !== null ? [Date.parse(lastUpdateTime) + SETTLED_MS] : [];
  });
  const pending =
    (status.conditions ?? []).length === 0 ? [Date.parse(metadata.creationTimestamp ?? '') + PENDING_MS] : [];
  const times = [...settled, ...pending, ...expiry(status.certificate)].filter((ms) => !Number.isNaN(ms));
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When the certificate is no longer valid. */
function expiry(certificate: string | undefined): readonly number[] {
  if (!certificate) return [];
  try {
    return [Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo)];
  } catch {
    // It may be of another signer, and of a form that is not known here: the other deadlines hold.
    return [];
  }
}

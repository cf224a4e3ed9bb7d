import { parseCertificateRequest, type CertificateRequest } from '../../api/certificates/certificate-request.ts';
import type { SubjectAccessReviewSpec } from '../../generated/types/authorization-v1.ts';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.ts';
import { hasCondition, withCondition } from '../certificate-signing/conditions.ts';
import { recognizers, type Recognizer } from './recognizers.ts';

const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 1000_000;

export interface ApprovalSteps {
  readonly isAllowed: (spec: SubjectAccessReviewSpec) => Promise<boolean>;
  readonly approve: (object: CertificateSigningRequest) => Promise<unknown>;
  readonly nowMs: number;
  /** RFC 3339. */
  readonly now: string;
}

/** One request; returns when to look at it again, where its requester may get the right later. */
export async function reconcile(object: CertificateSigningRequest, steps: ApprovalSteps): Promise<number | undefined> {
  if (object.status.certificate || hasCondition(object, 'Approved') || hasCondition(object, 'Denied')) return undefined;
  const request = parseRequest(object);
  const candidates = recognizers.filter(({ recognizes }) => recognizes(object, request));
  for (const recognizer of candidates) {
    if (!(await steps.isAllowed(reviewOf(object, recognizer)))) continue;
    const condition = { type: 'Approved', reason: 'AutoApproved', message: recognizer.message };
    await steps.approve(withCondition(object, condition, steps.now));
    return undefined;
  }
  if (candidates.length === 0) return undefined;
  // The pauses double as the request gets older.
  const ageMs = steps.nowMs - Date.parse(object.metadata.creationTimestamp ?? '');
  return Math.min(RETRY_MAX_MS, Math.max(RETRY_MIN_MS, ageMs || 0));
}

function parseRequest({ spec }: CertificateSigningRequest): CertificateRequest {
  return parseCertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString('latin1'));
}

function reviewOf({ spec }: CertificateSigningRequest, { subresource }: Recognizer): SubjectAccessReviewSpec {
  const { username, uid, groups, extra } = spec;
  return {
    ...(username === undefined ? {} : { user: username }),
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
    resourceAttributes: {
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'certificatesigningrequests',
      subresource,
      verb: 'create',
    },
  };
}

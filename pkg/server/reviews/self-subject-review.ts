import type { SelfSubjectReview } from '../../generated/types/authentication-v1.ts';
import { reviewHandler } from './review.ts';
import { userDocument } from '../verbs/user-document.ts';

/** The caller as the server sees it, impersonation included. The answer doesn't repeat the request's metadata. */
export const handleSelfSubjectReview = reviewHandler<SelfSubjectReview>((object, user, now) => {
  object.metadata = { creationTimestamp: now };
  object.status = { userInfo: userDocument(user) };
});

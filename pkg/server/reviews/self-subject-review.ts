import type { SelfSubjectReview } from '../../generated/types/authentication-v1.ts';
import { reviewHandler } from './review.ts';
import { userDocument } from '../verbs/user-document.ts';

/** Who the server takes the asker for, impersonation included. The answer doesn't repeat the question's metadata. */
export const handleSelfSubjectReview = reviewHandler<SelfSubjectReview>((object, user, now) => {
  object.metadata = { creationTimestamp: now };
  object.status = { userInfo: userDocument(user) };
});

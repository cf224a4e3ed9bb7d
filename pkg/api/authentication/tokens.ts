import { tokenOf } from '../resource-definition.ts';
import { tokenReview, selfSubjectReview } from './resources.ts';

export const selfSubjectReviews = tokenOf(selfSubjectReview);
export const tokenReviews = tokenOf(tokenReview);

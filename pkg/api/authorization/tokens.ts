import { tokenOf } from '../resource-definition.ts';
import {
  subjectAccessReview,
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
} from './resources.ts';

export const localSubjectAccessReviews = tokenOf(localSubjectAccessReview);
export const selfSubjectAccessReviews = tokenOf(selfSubjectAccessReview);
export const selfSubjectRulesReviews = tokenOf(selfSubjectRulesReview);
export const subjectAccessReviews = tokenOf(subjectAccessReview);

import type { UserInfo } from '../../api/resource-definition.ts';
import type { AuthorizationAttributes, Authorizer } from '../../authorization/authorizer.ts';
import { UndecidedError } from '../../authorization/union/authorizer.ts';
import type {
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewStatus,
} from '../../generated/types/authorization-v1.ts';

/** What all reviews of access ask about: a resource or a path. */
interface AskedAccess {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
}

/** Runs the authorizers as for a request of `user`. */
export async function accessReviewStatus(
  authorizer: Authorizer,
  asked: AskedAccess,
  user: UserInfo,
): Promise<SubjectAccessReviewStatus> {
  try {
    const { decision, reason } = await authorizer.authorize(attributesOf(asked, user));
    return {
      allowed: decision === 'allow',
      ...(decision === 'deny' ? { denied: true } : {}),
      ...(reason === '' ? {} : { reason }),
    };
  } catch (error) {
    if (!(error instanceof UndecidedError)) throw error;
    return { allowed: false, ...(error.reason === '' ? {} : { reason: error.reason }), evaluationError: error.message };
  }
}

function attributesOf(
  { resourceAttributes, nonResourceAttributes }: AskedAccess,
  user: UserInfo,
): AuthorizationAttributes {
  const {
    verb = '',
    group = '',
    version = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = resourceAttributes ?? {};
  return {
    user,
    isResource: resourceAttributes !== undefined,
    verb: resourceAttributes === undefined ? (nonResourceAttributes?.verb ?? '') : verb,
    apiGroup: group,
    apiVersion: resourceAttributes === undefined ? version : version || '*',
    resource,
    subresource,
    namespace,
    name,
    path: nonResourceAttributes?.path ?? '',
  };
}

import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../../authorization/authorizer.ts';
import { forbiddenRequest } from '../../authorization/forbidden.ts';
import { requestAttributes } from '../request-attributes.ts';
import type { Filter, RequestContext } from '../request-context.ts';

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

/** Lets through what some authorizer allows; answers everything else 403, and 500 when none could tell. The audit event says which and why. */
export function authorize(authorizer: Authorizer): Filter {
  return (next) => async (context) => {
    const attributes = requestAttributes(context);
    const { decision, reason } = await ask(authorizer, attributes, context);
    context.annotate(DECISION, decision === 'allow' ? 'allow' : 'forbid');
    context.annotate(REASON, reason);
    if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
    return next(context);
  };
}

async function ask(authorizer: Authorizer, attributes: AuthorizationAttributes, context: RequestContext): Promise<AuthorizationDecision> {
  try {
    return await authorizer.authorize(attributes);
  } catch (error) {
    context.annotate(REASON, 'internal error');
    throw error;
  }
}

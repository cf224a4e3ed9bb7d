import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { invalid } from '../../apimachinery/errors/status-error.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import { fromHub } from '../../api/scheme.ts';
import { decodeObject } from '../verbs/decode-body.ts';
import { negotiateAnswer } from '../answers/negotiate-answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import type { KindEndpoint, ServerParts } from '../resource-endpoint.ts';
import { answerReview } from './answer-review.ts';
import { documentRequest } from '../subresources/admit-document.ts';
import { clearSystemFields } from '../verbs/clear-system-fields.ts';
import { matchNamespace } from '../verbs/match-path.ts';
import { strategyContext } from '../verbs/strategy-context.ts';
import type { KindHandler } from '../subresources/subresource-handlers.ts';

/** Fills in a review's answer, in place. */
export type ReviewAnswer<T extends ApiObject> = (review: T, user: UserInfo, now: string) => Promise<void> | void;

/** POST of a review: a request that passes admission like a new object, is answered, and not stored. */
export function reviewHandler<T extends ApiObject>(answer: ReviewAnswer<T>): KindHandler {
  return async (context, endpoint, parts) => {
    const accepted = negotiateAnswer(context, { protobuf: true, transforms: 'metadata' });
    const options = parseWriteOptions(context.query, 'CreateOptions');
    const { target, scheme } = endpoint;
    const object = decodeObject(context, scheme, target, options.fieldValidation) as T;
    matchNamespace(context, endpoint, object);
    clearSystemFields(object);
    const request = documentRequest(context, endpoint, 'CREATE', object, undefined, options.dryRun);
    await parts.admission.admit(request);
    checkReview(context, endpoint, parts, object, options.dryRun);
    await parts.admission.validate(request);
    await answer(object, context.user, strategyContext(context, endpoint, parts, options.dryRun).now);
    answerReview(context, fromHub(target, object), target.version.message, accepted);
  };
}

/** Errors of reviews name their group alone: stock servers know no kind for them. */
function checkReview(
  context: RequestContext,
  endpoint: KindEndpoint,
  parts: ServerParts,
  object: ApiObject,
  dryRun: boolean,
): void {
  const { definition } = endpoint.target;
  const errors = new FieldErrors();
  definition.validate?.(object, errors, strategyContext(context, endpoint, parts, dryRun));
  if (errors.length > 0) throw invalid({ group: definition.group, kind: '' }, '', errors);
}

import type { VersionedResource } from '../../api/scheme.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import { negotiateAnswer } from '../answers/negotiate-answer.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { objectIn } from '../local/object-in.ts';
import { formFor } from '../representation/form-for.ts';
import type { ObjectForm } from '../representation/object-form.ts';
import type { RequestContext } from '../request/request-context.ts';
import { renderJson, respondBytes, respondLocally, respondPieces } from '../answers/respond.ts';
import type { KindEndpoint } from '../resource-endpoint.ts';
import { auditObject } from './audit-answer.ts';

export interface Negotiated {
  readonly accepted: Accepted;
  readonly form: ObjectForm;
  /** The version of the answer. */
  readonly target: VersionedResource;
  /** The same as JSON: what is written down of the answer. */
  readonly jsonForm: () => ObjectForm;
}

/** Picks the form of the answer before any work is done: a request that cannot be answered must not change anything. */
export function negotiateForm(context: RequestContext, served: KindEndpoint): Negotiated {
  const protobuf = served.target.message.write !== undefined;
  const accepted = negotiateAnswer(context, { protobuf, transforms: 'all' });
  const form = formFor(served.target, accepted, context.hasQuery ? context.query.get('includeObject') : null);
  return {
    accepted,
    form,
    target: served.target,
    jsonForm: () =>
      accepted.media === 'protobuf' ? formFor(served.target, { ...accepted, media: 'json' }, null) : form,
  };
}

/** Answers with one object. */
export function answerObject(
  context: RequestContext,
  status: number,
  object: CachedObject,
  negotiated: Negotiated,
): void {
  const { accepted, form, target } = negotiated;
  auditObject(context, object, negotiated);
  const { local } = context.exchange;
  if (local !== undefined) {
    const answer = objectIn(target, object.object());
    respondLocally(context, status, () => local.takeDocument(status, answer));
    return;
  }
  const parts = form.single(object);
  if (accepted.media === 'protobuf' || (accepted.media === 'json' && !accepted.pretty)) {
    respondPieces(context, status, form.contentType, parts);
    return;
  }
  const { contentType, body } = renderJson(Buffer.concat(parts), accepted);
  respondBytes(context, status, contentType, body);
}

import { StatusError, unauthorized } from '../../apimachinery/errors/status-error.ts';
import type { AuditedRequest, RequestFacts } from '../../audit/audited-request.ts';
import type { Auditor } from '../../audit/auditor.ts';
import type { ObjectReference } from '../../audit/event.ts';
import { sourceIps } from '../../audit/source-ips.ts';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import { answerError, toAnswer } from '../answers/answer-error.ts';
import { respondInternalError } from '../answers/internal-error-text.ts';
import { requestAttributes } from '../request/request-attributes.ts';
import { sentText } from '../request/request-headers.ts';
import type { Filter, Handler, RequestContext } from '../request/request-context.ts';
import { isLongRunning } from '../request/request-kind.ts';

/**
 * Audits requests, as the policy says. Answers errors itself, so that the event has the response, and delays answers
 * until their events are written where the sinks are blocking.
 */
export function auditRequests(auditor: Auditor | undefined, onError: (error: unknown, path: string) => void): Filter {
  if (auditor === undefined) return (next) => next;
  return (next) => async (context) => {
    const audit = begin(auditor, context, false);
    if (audit === undefined) return next(context);
    const received = audit.received();
    if (received !== undefined && !(await received)) {
      auditor.rejected();
      respondInternalError(context, 'failed to store audit event');
      return;
    }
    context.audit = audit;
    try {
      await next(context);
    } catch (thrown) {
      const error = toAnswer(context, thrown);
      if (!(error instanceof StatusError)) audit.panic(error);
      answerError(context, error, onError);
    }
    if (context.heldAnswer !== undefined) await context.heldAnswer;
    const written = audit.finished(context.status);
    if (written !== undefined) await written;
  };
}

/** Audits a refusal before the request is authenticated, where the policy wants that. Call it before the answer. */
export function auditRefusal(auditor: Auditor | undefined, context: RequestContext): void {
  if (auditor !== undefined) context.audit = begin(auditor, context, true);
}

/**
 * Rejects unauthenticated requests, which the policy may want in the log as well. `challenge`: the answer's
 * `WWW-Authenticate`, if any. Throws 401.
 */
export function unauthorizedHandler(auditor: Auditor | undefined, challenge: string | undefined): Handler {
  return async (context) => {
    if (challenge !== undefined) context.exchange.setHeader('www-authenticate', challenge);
    auditRefusal(auditor, context);
    throw unauthorized('Unauthorized');
  };
}

function begin(auditor: Auditor, context: RequestContext, unauthenticated: boolean): AuditedRequest | undefined {
  const attributes = requestAttributes(context);
  return auditor.begin(factsOf(auditor, context, attributes, unauthenticated), attributes, context);
}

function factsOf(
  auditor: Auditor,
  context: RequestContext,
  attributes: AuthorizationAttributes,
  unauthenticated: boolean,
): RequestFacts {
  const { headers, exchange, info } = context;
  const forwarded = headers['x-forwarded-for'] === undefined ? undefined : context.headerValues('x-forwarded-for')[0];
  const realIp = headers['x-real-ip'] === undefined ? undefined : context.headerValues('x-real-ip')[0];
  return {
    auditId: context.id,
    requestUri: sentText(exchange.url),
    verb: attributes.verb,
    sourceIps: sourceIps(forwarded, realIp, context.remoteAddress),
    userAgent: sentText(headers['user-agent'] ?? ''),
    objectRef: attributes.isResource ? referenceTo(attributes) : undefined,
    receivedMs: auditor.clock.at(context.startMs),
    longRunning: isLongRunning(info),
    unauthenticated,
  };
}

function referenceTo({
  resource,
  namespace,
  name,
  apiGroup,
  apiVersion,
  subresource,
}: AuthorizationAttributes): ObjectReference {
  return { resource, namespace, name, uid: '', apiGroup, apiVersion, resourceVersion: '', subresource };
}

import { FieldErrors } from '../../apimachinery/field-errors.ts';
import type { ApiObject } from '../../apimachinery/object.ts';
import { badRequest, invalid } from '../../apimachinery/status-error.ts';
import { fromHub } from '../../api/scheme.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../../authentication/authenticator.ts';
import type { SelfSubjectReview, TokenReview, UserInfo as AuthenticatedUser } from '../../generated/types/authentication-v1.ts';
import type { SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview } from '../../generated/types/authorization-v1.ts';
import type { FrontDoor } from '../front-door.ts';
import { decodeObject } from '../decode-body.ts';
import { negotiate } from '../negotiation.ts';
import type { RequestContext } from '../request-context.ts';
import { parseWriteOptions } from '../request-options.ts';
import { respondDocument } from '../respond.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import { matchNamespace } from './match-path.ts';
import { strategyContext } from './strategy-context.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

/** Fills in a review's answer, in place. */
type Answer<T extends ApiObject> = (review: T, user: UserInfo, now: string) => Promise<void> | void;

const MASTERS = 'system:masters';

/** POST of a review: a question that is answered and forgotten. */
function review<T extends ApiObject>(answer: Answer<T>): SubresourceHandler {
  return async (context, endpoint, parts) => {
    const accepted = negotiate(context.headers.accept, { protobuf: true, transforms: true });
    const options = parseWriteOptions(context.query, 'CreateOptions');
    const { target, store } = endpoint;
    const object = decodeObject(context, store.scheme, target, options.fieldValidation) as T;
    matchNamespace(context, endpoint, object);
    checkReview(context, endpoint, parts, object, options.dryRun);
    await answer(object, context.user, strategyContext(context, endpoint, parts, options.dryRun).now);
    const { media, pretty } = accepted;
    respondDocument(context, 201, fromHub(target, object), target.version.message, { media, pretty });
  };
}

/** Errors of reviews name their group alone: stock servers know no kind for them. */
function checkReview(context: RequestContext, endpoint: ResourceEndpoint, parts: ServerParts, object: ApiObject, dryRun: boolean): void {
  const { definition } = endpoint.target;
  const errors = new FieldErrors();
  definition.validate?.(object, errors, strategyContext(context, endpoint, parts, dryRun));
  if (errors.length > 0) throw invalid({ group: definition.group, kind: '' }, '', errors);
}

/** Until there are rules: masters may do everything and nobody else anything. */
function decide(groups: readonly string[] | undefined): { allowed: boolean } {
  return { allowed: groups?.includes(MASTERS) === true };
}

const subjectAccess = review<SubjectAccessReview>((object) => {
  object.status = decide(object.spec.groups);
});

const selfSubjectAccess = review<SelfSubjectAccessReview>((object, user) => {
  object.status = decide(user.groups);
});

const selfSubjectRules = review<SelfSubjectRulesReview>((object, user) => {
  if (!object.spec.namespace) throw badRequest('no namespace on request');
  const isMaster = user.groups.includes(MASTERS);
  object.spec = {};
  object.status = {
    resourceRules: isMaster ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: isMaster ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
    incomplete: false,
  };
});

const selfSubject = review<SelfSubjectReview>((object, user, now) => {
  object.metadata.creationTimestamp = now;
  object.status = { userInfo: userDocument(user) };
});

/** Somebody as the API shows them. */
function userDocument({ name, uid, groups, extra }: UserInfo): AuthenticatedUser {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}

const token = (tokens: TokenAuthenticator): SubresourceHandler => review<TokenReview>(async (object) => {
  const presented = object.spec.token ?? '';
  if (presented === '') throw badRequest('token is required for TokenReview in authentication');
  const known = await whose(tokens, presented, object.spec.audiences ?? []);
  object.status = known === undefined ? { user: {}, error: 'invalid bearer token' } : { authenticated: true, user: userDocument(known.user) };
});

async function whose(tokens: TokenAuthenticator, token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
  try {
    return await tokens.authenticateToken(token, audiences);
  } catch (error) {
    if (error instanceof InvalidCredentials) return undefined;
    throw error;
  }
}

/** Handlers of all reviews by their resource. */
export function reviewHandlers({ tokens }: Pick<FrontDoor, 'tokens'>): ReadonlyMap<string, SubresourceHandler> {
  return new Map([
    ['subjectaccessreviews.authorization.k8s.io', subjectAccess],
    ['localsubjectaccessreviews.authorization.k8s.io', subjectAccess],
    ['selfsubjectaccessreviews.authorization.k8s.io', selfSubjectAccess],
    ['selfsubjectrulesreviews.authorization.k8s.io', selfSubjectRules],
    ['selfsubjectreviews.authentication.k8s.io', selfSubject],
    ['tokenreviews.authentication.k8s.io', token(tokens)],
  ]);
}

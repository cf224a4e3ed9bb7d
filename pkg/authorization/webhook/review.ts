import { getKey } from '../../apimachinery/json/own-keys.ts';
import { isAnswerOfType } from '../../webhooks/is-answer-of-type.ts';
import type { AuthorizationAttributes, AuthorizationDecision } from '../authorizer.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

const GROUP = 'authorization.k8s.io';

/** The SubjectAccessReview that asks a service about a request. Empty parts are left out. */
export function reviewOf(version: ReviewVersion, asked: AuthorizationAttributes): object {
  const { user, verb, apiGroup, apiVersion, resource, subresource, namespace, name, path } = asked;
  const subject = given({ user: user.name, uid: user.uid });
  const groups = user.groups.length === 0 ? {} : { [version === 'v1' ? 'groups' : 'group']: user.groups };
  const matter = asked.isResource
    ? {
        resourceAttributes: given({
          namespace,
          verb,
          group: apiGroup,
          version: apiVersion,
          resource,
          subresource,
          name,
        }),
      }
    : { nonResourceAttributes: given({ path, verb }) };
  const extra = user.extra === undefined ? {} : { extra: user.extra };
  return {
    kind: 'SubjectAccessReview',
    apiVersion: `${GROUP}/${version}`,
    metadata: {},
    spec: { ...matter, ...subject, ...groups, ...extra },
    status: { allowed: false },
  };
}

function given(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  );
}

/**
 * A service's answer; one that both allows and denies is a denial. Throws Error when it is no SubjectAccessReview of
 * that version.
 */
export function decisionOf(version: ReviewVersion, document: unknown): AuthorizationDecision {
  const review = objectOf(document);
  const status = objectOf(getKey(review, 'status'));
  const [allowed, denied] = [getKey(status, 'allowed') === true, getKey(status, 'denied') === true];
  const said = getKey(status, 'reason');
  const reason = typeof said === 'string' ? said : '';
  if (!isAnswerOfType(review, `${GROUP}/${version}`, 'SubjectAccessReview'))
    throw new Error('the authorization webhook did not answer with a SubjectAccessReview');
  if (denied) return { decision: 'deny', reason };
  return { decision: allowed ? 'allow' : 'no-opinion', reason };
}

function objectOf(value: unknown): object {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Error('the authorization webhook did not answer with a SubjectAccessReview');
  return value;
}

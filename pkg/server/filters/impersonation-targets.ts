import { addExtra, unescapeKey } from '../../authentication/request-header/authenticator.ts';
import {
  parseServiceAccountUsername,
  serviceAccountGroups,
} from '../../authentication/service-account/account-name.ts';
import { ANONYMOUS, UNAUTHENTICATED } from '../../authentication/anonymous/authenticator.ts';
import { AUTHENTICATED } from '../../authentication/union/authenticated-group.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import type { RequestContext } from '../request/request-context.ts';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';
const GROUP = 'authentication.k8s.io';
const VERSION = 'v1';

/** One part of an impersonation; each must be allowed separately. */
export interface ImpersonationTarget {
  readonly attributes: Pick<
    AuthorizationAttributes,
    'apiGroup' | 'apiVersion' | 'resource' | 'subresource' | 'namespace' | 'name'
  >;
  /** The reference as stock servers print it. */
  readonly text: string;
}

/** All parts of the impersonation in a request's headers. */
export interface Impersonation {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
  readonly targets: readonly ImpersonationTarget[];
}

export function isImpersonationHeader(name: string): boolean {
  return (
    name === `${PREFIX}user` || name === `${PREFIX}group` || name === `${PREFIX}uid` || name.startsWith(EXTRA_PREFIX)
  );
}

/** The impersonation in the headers; undefined without one. */
export function readImpersonation(context: RequestContext): Impersonation | undefined {
  if (!Object.keys(context.headers).some(isImpersonationHeader)) return undefined;
  const first = (name: string): string => context.headerValues(PREFIX + name)[0] ?? '';
  const [username, uid] = [first('user'), first('uid')];
  const groups = context.headerValues(`${PREFIX}group`);
  const { extra, targets: extraTargets } = readExtra(context);
  const targets = [
    ...(username === '' ? [] : [userTarget(username)]),
    ...groups.map((name) => coreTarget('Group', 'groups', '', name)),
    ...extraTargets,
    ...(uid === '' ? [] : [identityTarget('UID', 'uids', '', uid)]),
  ];
  return targets.length === 0 ? undefined : { username, uid, groups, extra, targets };
}

/**
 * The impersonated user. Groups given in headers are all there are, except those of authenticated and unauthenticated
 * users.
 */
export function impersonatedUser({ username, uid, groups: given, extra }: Impersonation): UserInfo {
  const account = parseServiceAccountUsername(username);
  const groups = given.length === 0 && account !== undefined ? serviceAccountGroups(account.namespace) : given;
  return {
    name: username,
    ...(uid === '' ? {} : { uid }),
    groups:
      groups.includes(UNAUTHENTICATED) || (username !== ANONYMOUS && groups.includes(AUTHENTICATED))
        ? groups
        : [...groups, username === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function userTarget(username: string): ImpersonationTarget {
  const account = parseServiceAccountUsername(username);
  return account === undefined
    ? coreTarget('User', 'users', '', username)
    : coreTarget('ServiceAccount', 'serviceaccounts', account.namespace, account.name);
}

function readExtra(context: RequestContext): {
  readonly extra: Record<string, string[]>;
  readonly targets: readonly ImpersonationTarget[];
} {
  const extra: Record<string, string[]> = {};
  const targets: ImpersonationTarget[] = [];
  for (const [header, values] of context.headersWith(EXTRA_PREFIX)) {
    const key = unescapeKey(header.slice(EXTRA_PREFIX.length));
    addExtra(extra, key, values);
    for (const value of values) targets.push(identityTarget('UserExtra', 'userextras', key, value));
  }
  return { extra, targets };
}

function coreTarget(kind: string, resource: string, namespace: string, name: string): ImpersonationTarget {
  return {
    attributes: { apiGroup: '', apiVersion: '', resource, subresource: '', namespace, name },
    text: `{${kind} ${namespace} ${name}    }`,
  };
}

function identityTarget(kind: string, resource: string, key: string, name: string): ImpersonationTarget {
  return {
    attributes: { apiGroup: GROUP, apiVersion: VERSION, resource, subresource: key, namespace: '', name },
    text: `{${kind}  ${name}  ${GROUP}/${VERSION}  ${key}}`,
  };
}

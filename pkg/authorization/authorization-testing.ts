import type { UserInfo } from '../api/resource-definition.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from './authorizer.ts';

/** For tests: users and their requests. */

export function person(name: string, ...groups: string[]): UserInfo {
  return { name, groups };
}

/** `get pods/log` in group, namespace and by name as given; by default in the core group of the whole cluster. */
export function asks(
  user: UserInfo,
  verb: string,
  path: string,
  where: Partial<AuthorizationAttributes> = {},
): AuthorizationAttributes {
  const [resource = '', subresource = ''] = path.split('/');
  return {
    user,
    verb,
    isResource: true,
    apiGroup: '',
    apiVersion: 'v1',
    resource,
    subresource,
    namespace: '',
    name: '',
    path: '',
    ...where,
  };
}

/** A request for a path outside of resources. */
export function asksPath(user: UserInfo, verb: string, path: string): AuthorizationAttributes {
  return {
    user,
    verb,
    isResource: false,
    apiGroup: '',
    apiVersion: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path,
  };
}

/** An authorizer that always gives the same decision, or fails. */
export function saying(decision: AuthorizationDecision['decision'] | Error, reason = ''): Authorizer {
  return {
    name: 'test',
    authorize: async () => {
      if (decision instanceof Error) throw decision;
      return { decision, reason };
    },
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

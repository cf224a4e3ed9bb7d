import type { UserInfo } from '../../api/resource-definition.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../../authentication/service-account/account-name.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodSecurityPolicy } from '../../generated/types/policy-v1beta1.ts';
import type { RequestOn } from '../handles.ts';

/** Policies moved from one group to the other; permission in either is enough. */
const GROUPS = ['policy', 'extensions'] as const;

/**
 * The policies that the author of a pod, or the pod's account, may `use` in its namespace: the one named `first` first,
 * the others by name.
 */
export async function usablePolicies(
  policies: readonly PodSecurityPolicy[],
  authorizer: Authorizer,
  request: RequestOn<Pod, 'CREATE' | 'UPDATE'>,
  first: string,
): Promise<PodSecurityPolicy[]> {
  const users = [request.user, ...accountOf(request)];
  const usable: PodSecurityPolicy[] = [];
  for (const policy of policies) {
    if (await anyMayUse(authorizer, users, request.namespace, nameOf(policy))) usable.push(policy);
  }
  return usable.sort((a, b) => (rank(a, first) < rank(b, first) ? -1 : 1));
}

export function nameOf({ metadata }: PodSecurityPolicy): string {
  return metadata.name ?? '';
}

function rank(policy: PodSecurityPolicy, first: string): string {
  return `${nameOf(policy) === first ? 0 : 1}${nameOf(policy)}`;
}

function accountOf({ object, namespace }: RequestOn<Pod, 'CREATE' | 'UPDATE'>): UserInfo[] {
  const account = object.spec.serviceAccountName ?? '';
  if (account === '') return [];
  return [{ name: serviceAccountUsername({ namespace, name: account }), groups: serviceAccountGroups(namespace) }];
}

async function anyMayUse(
  authorizer: Authorizer,
  users: readonly UserInfo[],
  namespace: string,
  name: string,
): Promise<boolean> {
  for (const user of users) {
    for (const apiGroup of GROUPS) {
      const { decision } = await authorizer.authorize({
        user,
        verb: 'use',
        isResource: true,
        apiGroup,
        apiVersion: '*',
        resource: 'podsecuritypolicies',
        subresource: '',
        namespace,
        name,
        path: '',
      });
      if (decision === 'allow') return true;
    }
  }
  return false;
}

import type { UserInfo } from '../../api/resource-definition.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../apimachinery/names.ts';

const PREFIX = 'system:serviceaccount:';
const ALL_ACCOUNTS = 'system:serviceaccounts';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The account that a user name stands for; undefined for other users. */
export function parseServiceAccountUsername(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(PREFIX)) return undefined;
  const [namespace = '', name = '', ...more] = username.slice(PREFIX.length).split(':');
  if (more.length > 0 || isDns1123Label(namespace).length > 0 || isDns1123Subdomain(name).length > 0) return undefined;
  return { namespace, name };
}

/** The groups that every account of a namespace is in. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return [ALL_ACCOUNTS, `${ALL_ACCOUNTS}:${namespace}`];
}

/** An account as a user. `pod`: the one that its token is bound to. */
export function serviceAccountUser(account: ServiceAccountName & { readonly uid: string }, pod?: { readonly name: string; readonly uid: string }): UserInfo {
  return {
    name: serviceAccountUsername(account),
    uid: account.uid,
    groups: serviceAccountGroups(account.namespace),
    ...(pod === undefined ? {} : { extra: { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] } }),
  };
}

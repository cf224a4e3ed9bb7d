import type { UserInfo } from '../../api/resource-definition.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../apimachinery/names/names.ts';

const PREFIX = 'system:serviceaccount:';
const ALL_ACCOUNTS = 'system:serviceaccounts';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The account of a user name; undefined for other users. */
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

/** The binding of a token. */
export interface TokenOrigin {
  /** The pod that it is bound to. */
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  /** The node that it is bound to, or that its pod runs on; without a uid where the node did not exist. */
  readonly node?: { readonly name: string; readonly uid?: string | undefined } | undefined;
  /** Identifies this token. */
  readonly credentialId?: string | undefined;
}

/** An account as a user. */
export function serviceAccountUser(
  account: ServiceAccountName & { readonly uid: string },
  { pod, node, credentialId }: TokenOrigin = {},
): UserInfo {
  const facts = [
    ['credential-id', credentialId],
    ['node-name', node?.name],
    ['node-uid', node?.uid],
    ['pod-name', pod?.name],
    ['pod-uid', pod?.uid],
  ] as const;
  const extra = Object.fromEntries(
    facts.flatMap(([name, value]) => (value === undefined ? [] : [[`authentication.kubernetes.io/${name}`, [value]]])),
  );
  return {
    name: serviceAccountUsername(account),
    uid: account.uid,
    groups: serviceAccountGroups(account.namespace),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

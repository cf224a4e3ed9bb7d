import type { UserInfo } from '../../api/resource-definition.ts';
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../generated/types/flowcontrol-v1.ts';
import type { RequestInfo } from '../request/request-info.ts';

const ALL = '*';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

export type MatchesUser = (user: UserInfo) => boolean;
export type MatchesRequest = (info: RequestInfo) => boolean;

/** One rule of a flow schema, compiled for matching: its subjects are matched once per user. */
export interface CompiledRule {
  readonly user: MatchesUser;
  readonly request: MatchesRequest;
}

export function compileRule({
  subjects,
  resourceRules = [],
  nonResourceRules = [],
}: PolicyRulesWithSubjects): CompiledRule {
  const users = (subjects ?? []).map(matchSubject);
  const resources = resourceRules.map(matchResource);
  const others = nonResourceRules.map(matchNonResource);
  return {
    user: (user) => users.some((matches) => matches(user)),
    request: (info) => (info.isResource ? resources : others).some((matches) => matches(info)),
  };
}

function matchSubject({ kind, user, group, serviceAccount }: Subject): MatchesUser {
  if (kind === 'User' && user !== undefined) return user.name === ALL ? () => true : ({ name }) => name === user.name;
  if (kind === 'Group' && group !== undefined)
    return group.name === ALL ? () => true : ({ groups }) => groups.includes(group.name);
  if (kind !== 'ServiceAccount' || serviceAccount === undefined) return () => false;
  const { namespace, name } = serviceAccount;
  const prefix = `${SERVICE_ACCOUNT}${namespace}:`;
  return name === ALL ? (someone) => someone.name.startsWith(prefix) : (someone) => someone.name === `${prefix}${name}`;
}

/** Whether a list of a rule holds a value; `*` is all. */
function oneOf(values: readonly string[] | null | undefined): (value: string) => boolean {
  const known = new Set(values ?? []);
  return known.has(ALL) ? () => true : (value) => known.has(value);
}

function matchResource({
  verbs,
  apiGroups,
  resources,
  namespaces,
  clusterScope = false,
}: ResourcePolicyRule): MatchesRequest {
  const [verb, group, resource, namespace] = [oneOf(verbs), oneOf(apiGroups), oneOf(resources), oneOf(namespaces)];
  return (info) =>
    verb(info.verb) &&
    group(info.group) &&
    resource(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
    (info.namespace === '' ? clusterScope : namespace(info.namespace));
}

function matchNonResource({ verbs, nonResourceURLs }: NonResourcePolicyRule): MatchesRequest {
  const verb = oneOf(verbs);
  const paths = (nonResourceURLs ?? []).map(matchPath);
  return ({ verb: asked, path }) => verb(asked) && paths.some((matches) => matches(path));
}

function matchPath(pattern: string): (path: string) => boolean {
  if (pattern === ALL) return () => true;
  if (!pattern.endsWith('/*')) return (path) => path === pattern;
  const prefix = pattern.slice(0, -1);
  return (path) => path.startsWith(prefix);
}

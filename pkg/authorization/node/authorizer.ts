import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import type { AuthorizationAttributes, AuthorizationDecision, Authorizer } from '../authorizer.ts';
import { CompiledRole, roleQuestion } from '../rbac/compiled-role.ts';
import type { NodeGraph, ReachedKind } from './node-graph.ts';
import { nodeNameOf } from './node-identity.ts';

export interface NodeAuthorizerParts {
  readonly graph: NodeGraph;
  /** Resolves when the graph is complete; undefined when it already is. */
  readonly ready: () => Promise<void> | undefined;
  /** The rules of nodes for resources that are not divided among them. */
  readonly rules: readonly PolicyRule[];
}

type Division = (parts: NodeAuthorizerParts, node: string, asked: AuthorizationAttributes) => Promise<string> | string;

/** Resources of which each node gets a share: each returns why not, or nothing. */
const divisions: ReadonlyMap<string, Division> = new Map([
  ['secrets', readsReached('secrets')],
  ['configmaps', readsReached('configmaps')],
  ['persistentvolumeclaims', claim],
  ['persistentvolumes', getsReached('persistentvolumes')],
  ['volumeattachments.storage.k8s.io', getsReached('volumeattachments')],
  ['serviceaccounts', createsToken],
  ['leases.coordination.k8s.io', ownLease],
  ['csinodes.storage.k8s.io', ownCsiNode],
  ['resourceclaims.resource.k8s.io', getsReached('resourceclaims')],
  ['resourceslices.resource.k8s.io', ownResourceSlices],
]);

const LEASE_NAMESPACE = 'kube-node-lease';
const ownedVerbs: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);

/**
 * Mode Node: allows nodes what they need, and to read only the objects that their own pods refer to. Has no opinion
 * about others.
 */
export function nodeAuthorizer(parts: NodeAuthorizerParts): Authorizer {
  const rules = new CompiledRole(parts.rules);
  return {
    name: 'Node',
    authorize(asked) {
      const node = nodeNameOf(asked.user);
      if (node === undefined) return noOpinion('');
      if (node === '') return noOpinion(`unknown node for user ${goQuote(asked.user.name)}`);
      const division = asked.isResource
        ? divisions.get(asked.apiGroup === '' ? asked.resource : `${asked.resource}.${asked.apiGroup}`)
        : undefined;
      if (division === undefined) return rules.allows(roleQuestion(asked)) ? allow : noOpinion('');
      const refusal = division(parts, node, asked);
      return typeof refusal === 'string' ? answer(refusal) : refusal.then(answer);
    },
    rulesFor(user) {
      const incomplete = nodeNameOf(user) !== undefined;
      return {
        resourceRules: [],
        nonResourceRules: [],
        incomplete,
        ...(incomplete ? { evaluationError: 'node authorizer does not support user rule resolution' } : {}),
      };
    },
  };
}

const allow: AuthorizationDecision = { decision: 'allow', reason: '' };

function noOpinion(reason: string): AuthorizationDecision {
  return { decision: 'no-opinion', reason };
}

function answer(refusal: string): AuthorizationDecision {
  return refusal === '' ? allow : noOpinion(refusal);
}

function readsReached(kind: ReachedKind): Division {
  return (parts, node, asked) => {
    if (!['get', 'list', 'watch'].includes(asked.verb)) return 'can only read resources of this type';
    if (asked.subresource !== '') return 'cannot read subresource';
    if (asked.namespace === '') return 'can only read namespaced object of this type';
    return reaches(parts, node, kind, asked);
  };
}

function getsReached(kind: ReachedKind): Division {
  return (parts, node, asked) => {
    if (asked.verb !== 'get') return 'can only get individual resources of this type';
    if (asked.subresource !== '') return 'cannot get subresource';
    return reaches(parts, node, kind, asked);
  };
}

function claim(parts: NodeAuthorizerParts, node: string, asked: AuthorizationAttributes): Promise<string> | string {
  if (asked.subresource !== 'status') return getsReached('persistentvolumeclaims')(parts, node, asked);
  // The words of stock servers, which do not allow nodes to get it either.
  if (!['update', 'patch'].includes(asked.verb)) return 'can only get/update/patch this type';
  return reaches(parts, node, 'persistentvolumeclaims', asked);
}

function createsToken(
  parts: NodeAuthorizerParts,
  node: string,
  asked: AuthorizationAttributes,
): Promise<string> | string {
  if (asked.verb !== 'create' || asked.name === '') return 'can only create tokens for individual service accounts';
  if (asked.subresource !== 'token') return 'can only create token subresource of serviceaccount';
  return reaches(parts, node, 'serviceaccounts', asked);
}

/** Creates have no name in their path: admission checks it. */
function ownLease(
  _parts: NodeAuthorizerParts,
  node: string,
  { verb, namespace, name }: AuthorizationAttributes,
): string {
  if (!ownedVerbs.has(verb)) return 'can only get, create, update, patch, or delete a node lease';
  if (namespace !== LEASE_NAMESPACE)
    return `can only access leases in the ${goQuote(LEASE_NAMESPACE)} system namespace`;
  return verb === 'create' || name === node
    ? ''
    : 'can only access node lease with the same name as the requesting node';
}

function ownCsiNode(
  _parts: NodeAuthorizerParts,
  node: string,
  { verb, subresource, name }: AuthorizationAttributes,
): string {
  if (!ownedVerbs.has(verb)) return 'can only get, create, update, patch, or delete a CSINode';
  if (subresource !== '') return 'cannot authorize CSINode subresources';
  return verb === 'create' || name === node ? '' : 'can only access CSINode with the same name as the requesting node';
}

/** Admission checks the node of a new slice. */
function ownResourceSlices(
  parts: NodeAuthorizerParts,
  node: string,
  asked: AuthorizationAttributes,
): Promise<string> | string {
  if (asked.subresource !== '') return 'cannot authorize ResourceSlice subresources';
  switch (asked.verb) {
    case 'create':
      return '';
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return reaches(parts, node, 'resourceslices', asked);
    case 'list':
    case 'watch':
    case 'deletecollection':
      return asked.selectedNode === node
        ? ''
        : 'can only list/watch/deletecollection resourceslices with nodeName field selector';
    default:
      return 'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
  }
}

function reaches(
  { graph, ready }: NodeAuthorizerParts,
  node: string,
  kind: ReachedKind,
  { namespace, name }: AuthorizationAttributes,
): Promise<string> | string {
  if (name === '') return 'No Object name found';
  const look = (): string =>
    graph.reaches(node, kind, namespace, name) ? '' : `no relationship found between node '${node}' and this object`;
  return ready()?.then(look) ?? look();
}

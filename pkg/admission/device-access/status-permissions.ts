import { RESOURCE_GROUP } from '../../api/resource/resource-group.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import { sharedDeviceName } from '../../api/resource/resource-claim/allocated-devices.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import type { AuthorizationAttributes, Authorizer } from '../../authorization/authorizer.ts';
import { forbiddenRequest } from '../../authorization/forbidden.ts';
import type { AllocationResult, ResourceClaimStatus } from '../../generated/types/resource-v1.ts';

/** The user who changes a claim's status, and the verb. */
export interface StatusWrite {
  readonly user: UserInfo;
  readonly verb: string;
  readonly namespace: string;
}

const NODE_NAME_EXTRA = 'authentication.kubernetes.io/node-name';
const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:';

/**
 * Allocation and reservations belong to the scheduler: they need permission for `resourceclaims/binding` in the whole
 * cluster.
 */
export async function validateBindingPermission(
  authorizer: Authorizer,
  write: StatusWrite,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  errors: FieldErrors,
): Promise<void> {
  if (semanticDeepEqual(status.allocation, old.allocation) && semanticDeepEqual(status.reservedFor, old.reservedFor))
    return;
  const refused = await refusal(authorizer, { ...write, namespace: '' }, 'binding', '');
  if (refused === undefined) return;
  errors.forbidden(
    field('status'),
    `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${write.verb}" permission: ${refused}`,
  );
}

/**
 * The status of devices belongs to the drivers: it needs permission for `resourceclaims/driver` with the driver's name.
 * The verb depends on the origin: a pod on the node of the devices needs `associated-node:VERB`, all others
 * `arbitrary-node:VERB`.
 */
export async function validateDriverPermission(
  authorizer: Authorizer,
  write: StatusWrite,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  errors: FieldErrors,
): Promise<void> {
  const drivers = changedDrivers(status, old);
  if (drivers.length === 0) return;
  const prefixes = isOnNode(write.user, allocatedNode(status.allocation))
    ? ['associated-node:', 'arbitrary-node:']
    : ['arbitrary-node:'];
  const verbs = prefixes.map((prefix) => prefix + write.verb);
  for (const driver of drivers) {
    const refused = await refusalOfAll(authorizer, write, verbs, driver);
    if (refused === undefined) continue;
    errors.forbidden(
      field('status'),
      `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${refused}`,
    );
  }
}

/** The first refusal, where every verb is refused. */
async function refusalOfAll(
  authorizer: Authorizer,
  write: StatusWrite,
  verbs: readonly string[],
  driver: string,
): Promise<string | undefined> {
  let first: string | undefined;
  for (const verb of verbs) {
    const refused = await refusal(authorizer, { ...write, verb }, 'driver', driver);
    if (refused === undefined) return undefined;
    first ??= refused;
  }
  return first;
}

async function refusal(
  authorizer: Authorizer,
  { user, verb, namespace }: StatusWrite,
  subresource: string,
  name: string,
): Promise<string | undefined> {
  const asked: AuthorizationAttributes = {
    user,
    verb,
    isResource: true,
    apiGroup: RESOURCE_GROUP,
    apiVersion: 'v1',
    resource: 'resourceclaims',
    subresource,
    namespace,
    name,
    path: '',
  };
  const { decision, reason } = await authorizer.authorize(asked);
  return decision === 'allow' ? undefined : forbiddenRequest(asked, reason).message;
}

/** Drivers whose devices were added, changed or removed, sorted. */
function changedDrivers(status: ResourceClaimStatus, old: ResourceClaimStatus): string[] {
  const before = new Map((old.devices ?? []).map((device) => [sharedDeviceName(device), device]));
  const drivers = new Set<string>();
  for (const device of status.devices ?? []) {
    const name = sharedDeviceName(device);
    if (!semanticDeepEqual(before.get(name), device)) drivers.add(device.driver);
    before.delete(name);
  }
  for (const { driver } of before.values()) drivers.add(driver);
  return [...drivers].sort();
}

/** The node of an allocation, where it selects one by name. */
function allocatedNode(allocation: AllocationResult | undefined): string {
  const terms = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [rule, ...others] = terms[0]?.matchFields ?? [];
  if (terms.length !== 1 || (terms[0]!.matchExpressions?.length ?? 0) > 0 || rule === undefined || others.length > 0)
    return '';
  return rule.key === 'metadata.name' && rule.operator === 'In' && rule.values?.length === 1 ? rule.values[0]! : '';
}

function isOnNode({ name, extra }: UserInfo, node: string): boolean {
  if (node === '' || !name.startsWith(SERVICE_ACCOUNT_PREFIX)) return false;
  const nodes = extra !== undefined && Object.hasOwn(extra, NODE_NAME_EXTRA) ? extra[NODE_NAME_EXTRA]! : [];
  return nodes.length === 1 && nodes[0] === node;
}

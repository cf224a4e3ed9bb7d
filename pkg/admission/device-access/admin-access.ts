import { namespaces } from '../../api/core/tokens.ts';
import { ADMIN_ACCESS_LABEL } from '../../api/resource/resource-group.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { ResourceClaimSpec, ResourceClaimStatus } from '../../generated/types/resource-v1.ts';
import type { ObjectLookup } from '../object-lookup.ts';

/** A new claim, or template of claims, that requests access to devices in use by others. */
export async function validateAdminAccess(
  lookup: ObjectLookup,
  { devices }: ResourceClaimSpec,
  namespace: string,
  errors: FieldErrors,
): Promise<void> {
  const i = (devices.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  // Stock servers name the request, not its `exactly`.
  if (i >= 0)
    await validateNamespace(
      lookup,
      namespace,
      field('spec', 'devices', 'requests').index(i).child('adminAccess'),
      errors,
    );
}

/** An allocation with such access. Access that was granted once stays. */
export async function validateAdminAllocation(
  lookup: ObjectLookup,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  namespace: string,
  errors: FieldErrors,
): Promise<void> {
  if (grantedIndex(old) >= 0) return;
  const i = grantedIndex(status);
  if (i >= 0)
    await validateNamespace(
      lookup,
      namespace,
      field('status', 'allocation', 'devices', 'results').index(i).child('adminAccess'),
      errors,
    );
}

function grantedIndex({ allocation }: ResourceClaimStatus): number {
  return (allocation?.devices.results ?? []).findIndex(({ adminAccess }) => adminAccess === true);
}

async function validateNamespace(
  lookup: ObjectLookup,
  namespace: string,
  path: FieldPath,
  errors: FieldErrors,
): Promise<void> {
  const found = await lookup.get(namespaces, '', namespace);
  const labels = found?.metadata.labels;
  if (labels !== undefined && Object.hasOwn(labels, ADMIN_ACCESS_LABEL) && labels[ADMIN_ACCESS_LABEL] === 'true')
    return;
  errors.forbidden(
    path,
    `admin access to devices requires the \`${ADMIN_ACCESS_LABEL}: true\` label on the containing namespace`,
  );
}

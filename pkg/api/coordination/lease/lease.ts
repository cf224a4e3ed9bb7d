import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Lease } from '../../../generated/types/coordination-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateLeaseStrategy } from '../lease-strategy.ts';

function validateLease({ spec }: Lease, errors: FieldErrors): void {
  const path = field('spec');
  const duration = spec.leaseDurationSeconds;
  if (duration !== undefined && duration <= 0)
    errors.invalid(path.child('leaseDurationSeconds'), duration, 'must be greater than 0');
  validateNonNegative(spec.leaseTransitions, path.child('leaseTransitions'), errors);
  if (spec.strategy !== undefined) validateLeaseStrategy(spec.strategy, path.child('strategy'), errors);
  if (spec.preferredHolder && !spec.strategy) {
    errors.forbidden(path.child('preferredHolder'), 'may only be specified if `strategy` is defined');
  }
}

/** The leader, and until when: leaders and nodes renew theirs. */
export const lease = defineResource<Lease>({
  group: 'coordination.k8s.io',
  resource: 'leases',
  kind: 'Lease',
  singular: 'lease',
  namespaced: true,
  hub: 'coordination.k8s.io/v1',
  storageVersion: 'coordination.k8s.io/v1',
  storagePath: 'leases',
  versions: [
    { groupVersion: 'coordination.k8s.io/v1', message: 'coordination/v1.Lease' },
    {
      groupVersion: 'coordination.k8s.io/v1beta1',
      message: 'coordination/v1beta1.Lease',
      deprecation: { deprecatedIn: '1.19', removedIn: '1.22', replacement: 'coordination.k8s.io/v1' },
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: validateLease,
  validateUpdate: (object, _old, errors) => validateLease(object, errors),
  metadataChecksOnUpdate: ['update'],
  table: {
    columns: [NAME_COLUMN, { name: 'Holder', type: 'string', description: 'Who holds the lease.' }, AGE_COLUMN],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [metadata.name ?? '', spec.holderIdentity ?? '', age(metadata.creationTimestamp, nowMs)],
    }),
  },
});

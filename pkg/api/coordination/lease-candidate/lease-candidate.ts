import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { LeaseCandidate } from '../../../generated/types/coordination-v1beta1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateLeaseStrategy } from '../lease-strategy.ts';

const SEMVER =
  /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?$/;

function validateLeaseCandidate({ spec }: LeaseCandidate, errors: FieldErrors): void {
  const path = field('spec');
  if (spec.leaseName === '') errors.required(path.child('leaseName'));
  else
    for (const problem of nameIsDns1123Subdomain(spec.leaseName, false))
      errors.invalid(path.child('leaseName'), spec.leaseName, problem);
  if (spec.binaryVersion === '') errors.required(path.child('binaryVersion'));
  const binary = readVersion(spec.binaryVersion, path.child('binaryVersion'), errors);
  const emulation = readVersion(spec.emulationVersion ?? '', path.child('emulationVersion'), errors);
  if (binary !== undefined && emulation !== undefined && compare(emulation, binary) > 0) {
    errors.invalid(
      path.child('binaryVersion'),
      spec.binaryVersion,
      `must be greater than or equal to \`emulationVersion\` ${spec.emulationVersion}`,
    );
  }
  const strategy = spec.strategy ?? '';
  if (strategy === '') errors.required(path.child('strategy'), 'must be specified');
  else validateLeaseStrategy(strategy, path.child('strategy'), errors);
  if (strategy === 'OldestEmulationVersion' && !spec.emulationVersion) {
    errors.required(path.child('emulationVersion'), 'must be specified when `strategy` is "OldestEmulationVersion"');
  }
}

type Version = readonly number[];

/** Major, minor and patch; undefined for an empty text and for an invalid one. */
function readVersion(text: string, path: FieldPath, errors: FieldErrors): Version | undefined {
  if (text === '') return undefined;
  const match = SEMVER.exec(text);
  if (match === null) errors.invalid(path, text, 'must be a valid semantic version');
  return match?.slice(1, 4).map(Number);
}

function compare(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}

function validateLeaseCandidateUpdate(object: LeaseCandidate, old: LeaseCandidate, errors: FieldErrors): void {
  validateLeaseCandidate(object, errors);
  validateImmutableField(object.spec.leaseName, old.spec.leaseName, field('spec', 'leaseName'), errors);
}

/** A candidate for leadership, with its version. */
export const leaseCandidate = defineResource<LeaseCandidate>({
  group: 'coordination.k8s.io',
  resource: 'leasecandidates',
  kind: 'LeaseCandidate',
  singular: 'leasecandidate',
  namespaced: true,
  hub: 'coordination.k8s.io/v1beta1',
  storageVersion: 'coordination.k8s.io/v1beta1',
  storagePath: 'leasecandidates',
  versions: [{ groupVersion: 'coordination.k8s.io/v1beta1', message: 'coordination/v1beta1.LeaseCandidate' }],
  validateName: nameIsDns1123Subdomain,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: validateLeaseCandidate,
  validateUpdate: validateLeaseCandidateUpdate,
  metadataChecksOnUpdate: ['update'],
  fieldLabels: { 'spec.leaseName': (object) => object.spec.leaseName },
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'LeaseName', type: 'string', description: 'Lease that it would hold.' },
      { name: 'BinaryVersion', type: 'string', description: 'Version of its program.' },
      { name: 'EmulationVersion', type: 'string', description: 'Version that it behaves as.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [
        metadata.name ?? '',
        spec.leaseName,
        spec.binaryVersion,
        spec.emulationVersion ?? '',
        age(metadata.creationTimestamp, nowMs),
      ],
    }),
  },
});

import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goIntOrString, goLabelSelector, goStruct, type GoText } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import {
  validateAnnotations,
  validateLabels,
  validateNonNegative,
} from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '../../../generated/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../generated/types/core-v1.ts';
import { validatePodAnnotations } from '../../core/pod-spec/annotations.ts';
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts';
import type { ClusterPolicy, StrategyContext } from '../../resource-definition.ts';
import { validatePersistentVolumeClaimSpec } from '../../validation/claim-spec.ts';
import {
  countOf,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from '../../validation/int-or-percent.ts';
import { validateDns1123Label } from '../../validation/names.ts';
import { validateCollisionCount, validateCounts, validateWithinReplicas } from '../counts.ts';
import { compileSelector, validateRequiredSelector, validateSelectorMatches } from '../pod-template.ts';

export const validateStatefulSetName = nameIsDns1123Subdomain;

export function validateStatefulSet({ spec }: StatefulSet, errors: FieldErrors, { policy }: StrategyContext): void {
  validateSpec(spec, { fixed: true, podSpec: true }, policy, errors);
}

/** The checks besides all others: fields that are immutable, and the pods of the template. */
interface Checked {
  readonly fixed: boolean;
  readonly podSpec: boolean;
}

function validateSpec(
  spec: StatefulSetSpec,
  { fixed, podSpec }: Checked,
  policy: ClusterPolicy,
  errors: FieldErrors,
): void {
  const path = field('spec');
  const { podManagementPolicy = '' } = spec;
  if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel') {
    errors.invalid(path.child('podManagementPolicy'), podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  }
  validateUpdateStrategy(spec.updateStrategy, path.child('updateStrategy'), errors);
  validateRetention(
    spec.persistentVolumeClaimRetentionPolicy,
    path.child('persistentVolumeClaimRetentionPolicy'),
    errors,
  );
  if (fixed)
    for (const [i, claim] of (spec.volumeClaimTemplates ?? []).entries())
      validatePersistentVolumeClaimSpec(claim.spec, path.child('volumeClaimTemplates').index(i).child('spec'), errors);
  validateCounts(spec, ['replicas', 'minReadySeconds'], path, errors);
  validateNonNegative(spec.ordinals?.start, path.child('ordinals', 'start'), errors);
  if (fixed && spec.serviceName) validateDns1123Label(spec.serviceName, path.child('serviceName'), errors);
  validateRequiredSelector(spec.selector, 'empty selector is invalid for statefulset', path.child('selector'), errors);
  validateTemplate(spec, podSpec, policy, path, errors);
}

function validateTemplate(
  spec: StatefulSetSpec,
  podSpec: boolean,
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const templatePath = path.child('template');
  const selector = compileSelector(spec.selector);
  if (selector === undefined) {
    errors.invalid(path.child('selector'), goLabelSelector(spec.selector!), '');
  } else {
    validateSelectorMatches(selector, spec.template, templatePath, errors);
    if (podSpec) validatePodTemplateSpec(withClaimVolumes(spec), policy, templatePath, errors);
    else validateTemplateMetadata(spec.template, templatePath, errors);
  }
  const { restartPolicy, activeDeadlineSeconds } = spec.template.spec;
  if (restartPolicy !== 'Always')
    errors.notSupported(templatePath.child('spec', 'restartPolicy'), restartPolicy ?? '', ['Always']);
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden(
      templatePath.child('spec', 'activeDeadlineSeconds'),
      'activeDeadlineSeconds in StatefulSet is not Supported',
    );
  }
}

/** The template with the volumes of its pods: those of claims come first, in place of others with their names. */
function withClaimVolumes({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  if (volumeClaimTemplates.length === 0) return template;
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata.name ?? ''));
  const ofClaims = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (template.spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...template.spec, volumes: [...ofClaims, ...others] } };
}

function validateTemplateMetadata(template: PodTemplateSpec, path: FieldPath, errors: FieldErrors): void {
  const { labels, annotations } = template.metadata;
  validateLabels(labels, path.child('labels'), errors);
  validateAnnotations(annotations, path.child('annotations'), errors);
  validatePodAnnotations(annotations, template.spec, path.child('annotations'), errors);
}

function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy, path: FieldPath, errors: FieldErrors): void {
  const { type = '', rollingUpdate } = strategy;
  if (type === 'RollingUpdate') {
    if (rollingUpdate !== undefined) validateRollingUpdate(rollingUpdate, path.child('rollingUpdate'), errors);
  } else if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return;
    errors.invalid(
      path.child('rollingUpdate'),
      shownRollingUpdate(rollingUpdate),
      "only allowed for updateStrategy 'RollingUpdate'",
    );
  } else {
    errors.invalid(path, goStruct({ Type: type, RollingUpdate: null }), "must be 'RollingUpdate' or 'OnDelete'");
  }
}

function shownRollingUpdate({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy): GoText {
  return goStruct({ Partition: partition, MaxUnavailable: maxUnavailable ?? null });
}

function validateRollingUpdate(
  rollingUpdate: RollingUpdateStatefulSetStrategy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateNonNegative(rollingUpdate.partition, path.child('partition'), errors);
  const { maxUnavailable } = rollingUpdate;
  if (maxUnavailable === undefined) return;
  const unavailablePath = path.child('maxUnavailable');
  validatePositiveIntOrPercent(maxUnavailable, unavailablePath, errors);
  if (countOf(maxUnavailable) === 0) errors.invalid(unavailablePath, goIntOrString(maxUnavailable), 'cannot be 0');
  validateNotMoreThan100Percent(maxUnavailable, unavailablePath, errors);
}

function validateRetention(
  policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (policy === undefined) return;
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[name] ?? '';
    if (value !== 'Retain' && value !== 'Delete') errors.notSupported(path.child(name), value, ['Retain', 'Delete']);
  }
}

/** The fields that an update may change. */
const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

export function validateStatefulSetUpdate(
  object: StatefulSet,
  old: StatefulSet,
  errors: FieldErrors,
  { policy }: StrategyContext,
): void {
  const { spec } = object;
  const path = field('spec');
  // An object that was stored wrong before this check existed stays changeable in all else.
  const before = new FieldErrors();
  validateSpec(old.spec, { fixed: false, podSpec: true }, policy, before);
  validateSpec(spec, { fixed: false, podSpec: before.length === 0 }, policy, errors);
  if (!semanticDeepEqual(fixedPart(spec), fixedPart(old.spec))) {
    const names = CHANGEABLE.map((name) => `'${name}'`);
    errors.forbidden(
      path,
      `updates to statefulset spec for fields other than ${names.slice(0, -1).join(', ')} and ${names.at(-1)} are forbidden`,
    );
  }
}

function fixedPart(spec: StatefulSetSpec): Partial<StatefulSetSpec> {
  const fixed: Partial<StatefulSetSpec> = { ...spec };
  for (const name of CHANGEABLE) delete fixed[name];
  return fixed;
}

const STATUS_COUNTS = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
];

export function validateStatefulSetStatusUpdate({ status }: StatefulSet, old: StatefulSet, errors: FieldErrors): void {
  const path = field('status');
  validateCounts(status, STATUS_COUNTS, path, errors);
  validateWithinReplicas(
    status,
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    path,
    errors,
  );
  if (status.availableReplicas > (status.readyReplicas ?? 0)) {
    errors.invalid(
      path.child('availableReplicas'),
      status.availableReplicas,
      'cannot be greater than status.readyReplicas',
    );
  }
  validateCollisionCount(status.collisionCount, old.status.collisionCount, path.child('collisionCount'), errors);
}

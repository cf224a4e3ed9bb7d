import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goLabelSelector, goStringMap } from '../../apimachinery/values/go-format.ts';
import {
  type LabelSelector as CompiledSelector,
  labelSelectorAsSelector,
  validateLabelSelector,
} from '../../apimachinery/selectors/label-selector.ts';
import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';
import type { LabelSelector } from '../../generated/types/meta-v1.ts';
import { validateReadOnlyDisks } from '../core/pod-spec/read-only-disks.ts';
import { validatePodTemplateSpec } from '../core/pod-spec/validation.ts';
import type { ClusterPolicy } from '../resource-definition.ts';

/** Common rules of workloads for their selector and pod template. */

/** The selector's compiled form, or undefined where it cannot be compiled. */
export function compileSelector(selector: LabelSelector | null | undefined): CompiledSelector | undefined {
  try {
    return labelSelectorAsSelector(selector);
  } catch {
    // Validation reports a malformed selector at its field.
    return undefined;
  }
}

/** The selector is present, well formed and not empty. `emptyDetail` is the message for an empty one. */
export function validateRequiredSelector(
  selector: LabelSelector | null | undefined,
  emptyDetail: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (selector == null) {
    errors.required(path);
    return;
  }
  validateLabelSelector(selector, path, errors);
  if (isEmptySelector(selector)) errors.invalid(path, goLabelSelector(selector), emptyDetail);
}

export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}

/** The template has the labels of the selector. */
export function validateSelectorMatches(
  selector: CompiledSelector,
  template: PodTemplateSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (selector.matches(template.metadata.labels)) return;
  errors.invalid(
    path.child('metadata', 'labels'),
    goStringMap(template.metadata.labels),
    '`selector` does not match template `labels`',
  );
}

/** The selector and template of a Deployment or ReplicaSet, from the compiled selector on. */
export function validateReplicatedTemplate(
  spec: { replicas?: number; selector: LabelSelector | null; template: PodTemplateSpec },
  policy: ClusterPolicy,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const selector = compileSelector(spec.selector);
  if (selector === undefined) {
    errors.invalid(path.child('selector'), goLabelSelector(spec.selector!), 'invalid label selector');
    return;
  }
  const templatePath = path.child('template');
  validateSelectorMatches(selector, spec.template, templatePath, errors);
  validatePodTemplateSpec(spec.template, policy, templatePath, errors);
  if ((spec.replicas ?? 0) > 1)
    validateReadOnlyDisks(spec.template.spec.volumes, templatePath.child('spec', 'volumes'), errors);
  validateAlwaysRunning(spec.template, 'ReplicaSet', templatePath, errors);
}

/** Pods of long-running workloads restart always and have no deadline. */
export function validateAlwaysRunning(
  template: PodTemplateSpec,
  owner: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== 'Always')
    errors.notSupported(path.child('spec', 'restartPolicy'), restartPolicy ?? '', ['Always']);
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${owner} is not Supported`);
  }
}

import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { validateLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { nameIsDns1123Subdomain, nameIsPathSegment } from '../../apimachinery/names/names.ts';
import type {
  MutatingAdmissionPolicyBindingSpec,
  ParamRef,
  ValidatingAdmissionPolicyBindingSpec,
} from '../../generated/types/admissionregistration-v1.ts';
import { validateMatchResources } from './policy-validation.ts';

const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];
const EXCLUSIVE = 'name and selector are mutually exclusive';

/** The common part of both kinds of binding. */
export function validatePolicyBindingSpec(
  spec: ValidatingAdmissionPolicyBindingSpec | MutatingAdmissionPolicyBindingSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const name = spec.policyName ?? '';
  if (name === '') errors.required(path.child('policyName'));
  else
    for (const problem of nameIsDns1123Subdomain(name, false)) errors.invalid(path.child('policyName'), name, problem);
  if (spec.paramRef !== undefined) validateParamRef(spec.paramRef, path.child('paramRef'), errors);
  // Stock servers spell the path like this.
  if (spec.matchResources !== undefined)
    validateMatchResources(spec.matchResources, path.child('matchResouces'), errors);
}

function validateParamRef(
  { name = '', selector, parameterNotFoundAction }: ParamRef,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name !== '') {
    for (const problem of nameIsPathSegment(name, false)) errors.invalid(path.child('name'), name, problem);
    if (selector !== undefined) errors.forbidden(path.child('name'), EXCLUSIVE);
  }
  if (selector !== undefined) {
    validateLabelSelector(selector, path.child('selector'), errors);
    if (name !== '') errors.forbidden(path.child('selector'), EXCLUSIVE);
  }
  if (name === '' && selector === undefined) errors.required(path, 'one of name or selector must be specified');
  const actionPath = path.child('parameterNotFoundAction');
  if (!parameterNotFoundAction) errors.required(actionPath);
  else if (!NOT_FOUND_ACTIONS.includes(parameterNotFoundAction))
    errors.notSupported(actionPath, parameterNotFoundAction, NOT_FOUND_ACTIONS);
}

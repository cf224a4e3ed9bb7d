import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStruct, goText } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import {
  type FlowSchema,
  type FlowSchemaSpec,
  FlowDistinguisherMethodTypeValues,
} from '../../../generated/types/flowcontrol-v1.ts';
import { validateFlowcontrolConditions } from '../condition-validation.ts';
import { MANDATORY_FLOW_SCHEMAS } from '../mandatory-objects.ts';
import { validateRules } from './rule-validation.ts';

const PRECEDENCE_MAX = 10_000;

export function validateFlowSchema({ metadata, spec, status }: FlowSchema, errors: FieldErrors): void {
  const name = metadata.name ?? '';
  const path = field('spec');
  validateSpec(spec, name, path, errors);
  const mandatory = MANDATORY_FLOW_SCHEMAS.get(name);
  if (mandatory !== undefined && !semanticDeepEqual(spec, mandatory)) {
    errors.invalid(path, goText('flowcontrol.FlowSchemaSpec{}'), `spec of '${name}' must equal the fixed value`);
  }
  validateFlowcontrolConditions(status.conditions, errors);
}

function validateSpec(spec: FlowSchemaSpec, name: string, path: FieldPath, errors: FieldErrors): void {
  const precedence = spec.matchingPrecedence;
  const precedencePath = path.child('matchingPrecedence');
  if (precedence <= 0) errors.invalid(precedencePath, precedence, 'must be a positive value');
  if (precedence > PRECEDENCE_MAX)
    errors.invalid(precedencePath, precedence, `must not be greater than ${PRECEDENCE_MAX}`);
  if (precedence === 1 && name !== 'exempt') {
    errors.invalid(precedencePath, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  const method = spec.distinguisherMethod;
  if (method !== undefined && !FlowDistinguisherMethodTypeValues.includes(method.type)) {
    const printed = goStruct({ Type: method.type });
    errors.notSupported(path.child('distinguisherMethod', 'type'), printed, FlowDistinguisherMethodTypeValues);
  }
  const level = spec.priorityLevelConfiguration.name;
  const levelPath = path.child('priorityLevelConfiguration', 'name');
  if (level === '') errors.required(levelPath, 'must reference a priority level');
  else for (const problem of nameIsDns1123Subdomain(level, false)) errors.invalid(levelPath, level, problem);
  for (const [i, rule] of (spec.rules ?? []).entries()) validateRules(rule, path.child('rules').index(i), errors);
}

import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { Container, ContainerRestartRule } from '../../../generated/types/core-v1.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;

/** A container's own restart policy. */
export function validateRestartRules(container: Container, path: FieldPath, errors: FieldErrors): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined && !POLICIES.includes(restartPolicy))
    errors.notSupported(path.child('restartPolicy'), restartPolicy, POLICIES);
  if (rules.length === 0) return;
  if (restartPolicy === undefined)
    errors.required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');
  const rulesPath = path.child('restartPolicyRules');
  if (rules.length > RULES_MAX) errors.tooMany(rulesPath, rules.length, RULES_MAX);
  for (const [i, rule] of rules.entries()) validateRule(rule, rulesPath.index(i), errors);
}

function validateRule({ action = '', exitCodes }: ContainerRestartRule, path: FieldPath, errors: FieldErrors): void {
  if (!ACTIONS.includes(action)) errors.notSupported(path.child('action'), action, ACTIONS);
  if (exitCodes === undefined) return errors.required(path.child('exitCodes'), 'must be specified');
  const { operator = '', values = [] } = exitCodes;
  if (!OPERATORS.includes(operator)) errors.notSupported(path.child('exitCodes', 'operator'), operator, OPERATORS);
  if (values.length > EXIT_CODES_MAX) errors.tooMany(path.child('exitCodes', 'values'), values.length, EXIT_CODES_MAX);
}

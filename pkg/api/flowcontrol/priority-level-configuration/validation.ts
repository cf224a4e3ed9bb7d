import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../../generated/types/flowcontrol-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { validateFlowcontrolConditions } from '../condition-validation.ts';
import { MANDATORY_PRIORITY_LEVELS } from '../mandatory-objects.ts';

const QUEUES_MAX = 10_000_000;
const HASH_BITS_MAX = 60;

export function validatePriorityLevel(
  { metadata, spec, status }: PriorityLevelConfiguration,
  errors: FieldErrors,
  context: StrategyContext,
): void {
  const name = metadata.name ?? '';
  const path = field('spec');
  validateSpec(spec, name, context.requestVersion, path, errors);
  const mandatory = MANDATORY_PRIORITY_LEVELS.get(name);
  if (mandatory !== undefined && !semanticDeepEqual({ ...spec, exempt: undefined }, mandatory)) {
    errors.invalid(
      path,
      goText('flowcontrol.PriorityLevelConfigurationSpec{}'),
      `spec of '${name}' must equal the fixed value`,
    );
  }
  validateFlowcontrolConditions(status.conditions, errors);
}

function validateSpec(
  spec: PriorityLevelConfigurationSpec,
  name: string,
  version: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { type, limited, exempt } = spec;
  if ((name === 'exempt') !== (type === 'Exempt'))
    errors.invalid(path.child('type'), type, "type must be 'Exempt' if and only if name is 'exempt'");
  switch (type) {
    case 'Exempt':
      if (exempt !== undefined) {
        validateShares(exempt.nominalConcurrencyShares, path.child('exempt', 'nominalConcurrencyShares'), errors);
        validateLendable(exempt.lendablePercent, path.child('exempt', 'lendablePercent'), errors);
      }
      if (limited !== undefined) errors.forbidden(path.child('limited'), 'must be nil if the type is not Limited');
      break;
    case 'Limited':
      if (exempt !== undefined) errors.forbidden(path.child('exempt'), 'must be nil if the type is Limited');
      if (limited === undefined) errors.required(path.child('limited'), 'must not be empty when type is Limited');
      else validateLimited(limited, version, path.child('limited'), errors);
      break;
    default:
      errors.notSupported(path.child('type'), type, ['Exempt', 'Limited']);
  }
}

function validateLimited(
  limited: LimitedPriorityLevelConfiguration,
  version: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const sharesName = /\/v1beta[12]$/.test(version) ? 'assuredConcurrencyShares' : 'nominalConcurrencyShares';
  validateShares(limited.nominalConcurrencyShares ?? 0, path.child(sharesName), errors);
  validateLimitResponse(limited.limitResponse, path.child('limitResponse'), errors);
  validateLendable(limited.lendablePercent, path.child('lendablePercent'), errors);
  const borrowing = limited.borrowingLimitPercent;
  if (borrowing !== undefined && borrowing < 0) {
    errors.invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer');
  }
}

function validateShares(shares: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (shares !== undefined && shares < 0) errors.invalid(path, shares, 'must be a non-negative integer');
}

function validateLendable(percent: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (percent !== undefined && (percent < 0 || percent > 100))
    errors.invalid(path, percent, 'must be between 0 and 100, inclusive');
}

function validateLimitResponse({ type, queuing }: LimitResponse, path: FieldPath, errors: FieldErrors): void {
  switch (type) {
    case 'Reject':
      if (queuing !== undefined)
        errors.forbidden(path.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited');
      break;
    case 'Queue':
      if (queuing === undefined)
        errors.required(path.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited');
      else validateQueuing(queuing, path.child('queuing'), errors);
      break;
    default:
      errors.notSupported(path.child('type'), type, ['Queue', 'Reject']);
  }
}

function validateQueuing(
  { queues, handSize, queueLengthLimit }: QueuingConfiguration,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (queueLengthLimit <= 0) errors.invalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive');
  if (queues <= 0) errors.invalid(path.child('queues'), queues, 'must be positive');
  else if (queues > QUEUES_MAX) errors.invalid(path.child('queues'), queues, `must not be greater than ${QUEUES_MAX}`);
  const handPath = path.child('handSize');
  if (handSize <= 0) errors.invalid(handPath, handSize, 'must be positive');
  else if (handSize > queues) errors.invalid(handPath, handSize, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * handSize) > HASH_BITS_MAX) {
    errors.invalid(
      handPath,
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${HASH_BITS_MAX}`,
    );
  }
}

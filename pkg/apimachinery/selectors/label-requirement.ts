import { FieldErrors, aggregateText } from '../errors/field-errors.ts';
import { field } from '../errors/field-path.ts';
import { goStringSlice } from '../values/go-format.ts';
import { isQualifiedName, isValidLabelValue } from '../names/names.ts';

export type Labels = Readonly<Record<string, string>>;

/** Operators as messages name them; in the string form `gt` is written `>` and `exists` is the bare key. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

export const BINARY_OPERATORS = [
  'in',
  'notin',
  '=',
  '==',
  '!=',
  'gt',
  'lt',
] as const satisfies readonly LabelOperator[];

const INT64 = /^[+-]?\d{1,19}$/;

/** One condition on one label. `values` are sorted and distinct. */
export class LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
  /** Whether the labels meet the condition. */
  readonly matches: (labels: Labels) => boolean;

  constructor(key: string, operator: LabelOperator, values: readonly string[]) {
    this.key = key;
    this.operator = operator;
    this.values = values;
    this.matches = compile(key, operator, values);
  }

  toString(): string {
    const { key, operator, values } = this;
    switch (operator) {
      case '!':
        return `!${key}`;
      case 'exists':
        return key;
      case 'in':
      case 'notin':
        return `${key} ${operator} (${values.join(',')})`;
      case 'gt':
        return `${key}>${values[0]}`;
      case 'lt':
        return `${key}<${values[0]}`;
      default:
        return `${key}${operator}${values[0]}`;
    }
  }
}

/** Makes a requirement. Throws Error with the words of Kubernetes when the parts do not fit together. */
export function labelRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const sorted = [...new Set(values)].sort();
  const errors = new FieldErrors();
  const keyProblems = isQualifiedName(key);
  if (keyProblems.length > 0) errors.invalid(field('key'), key, keyProblems.join('; '));
  const path = field('values');
  const countProblem = problemOfCount(operator, sorted.length);
  if (countProblem !== undefined) errors.invalid(path, goStringSlice(sorted), countProblem);
  for (const [i, value] of sorted.entries()) {
    if ((operator === 'gt' || operator === 'lt') && parseInt64(value) === undefined) {
      errors.invalid(path.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    const problems = isValidLabelValue(value);
    if (problems.length > 0) errors.invalid(path.index(i).key(key), value, problems.join('; '));
  }
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return new LabelRequirement(key, operator, sorted);
}

function problemOfCount(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case 'exists':
    case '!':
      return count > 0 ? 'values set must be empty for exists and does not exist' : undefined;
    case 'gt':
    case 'lt':
      return count !== 1 ? "for 'Gt', 'Lt' operators, exactly one value is required" : undefined;
    default:
      return count !== 1 ? 'exact-match compatibility requires one single value' : undefined;
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!INT64.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function compile(key: string, operator: LabelOperator, values: readonly string[]): (labels: Labels) => boolean {
  const only = values[0] ?? '';
  const set = new Set(values);
  switch (operator) {
    case '=':
    case '==':
      return (labels) => labelOf(labels, key) === only;
    case '!=':
      return (labels) => labelOf(labels, key) !== only;
    case 'in':
      return (labels) => {
        const value = labelOf(labels, key);
        return value !== undefined && set.has(value);
      };
    case 'notin':
      return (labels) => {
        const value = labelOf(labels, key);
        return value === undefined || !set.has(value);
      };
    case 'exists':
      return (labels) => labelOf(labels, key) !== undefined;
    case '!':
      return (labels) => labelOf(labels, key) === undefined;
    case 'gt':
    case 'lt':
      return compileOrder(key, operator === 'gt', parseInt64(only) ?? 0n);
  }
}

/** A label that is no integer is neither greater nor less. */
function compileOrder(key: string, greater: boolean, bound: bigint): (labels: Labels) => boolean {
  return (labels) => {
    const value = parseInt64(labelOf(labels, key) ?? '');
    return value !== undefined && (greater ? value > bound : value < bound);
  };
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

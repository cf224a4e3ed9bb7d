/**
 * Label selectors: `app in (a,b),tier!=db,!legacy`. A selector runs once per object in every list and per event in
 * every watch, so each requirement becomes a closure when the selector is made.
 */
import { parseLabelRequirements } from './label-selector-parser.ts';
import { labelRequirement } from './label-requirement.ts';
import type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts';
import { goQuote } from '../values/go-format.ts';

export type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts';
export { labelRequirement } from './label-requirement.ts';
export { validateLabelSelector } from './label-selector-validation.ts';

/** Longer selectors are refused before they are parsed. */
export const SELECTOR_LENGTH_MAX = 64 * 1024;
/**
 * Each costs time for each object of each list and for each event of each watch. Values of one requirement cost no more
 * than one.
 */
export const REQUIREMENTS_MAX = 256;
export const TOO_MANY_REQUIREMENTS = `selector has more than ${REQUIREMENTS_MAX} requirements`;

/** All requirements of a selector hold together. Immutable. */
export class LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  private readonly never: boolean;

  constructor(requirements: readonly LabelRequirement[], never = false) {
    this.requirements = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.never = never;
  }

  /** Whether every object matches. */
  get empty(): boolean {
    return this.requirements.length === 0 && !this.never;
  }

  /** Whether no object can match, as with the selector of an absent object form. */
  get matchesNothing(): boolean {
    return this.never;
  }

  matches(labels: Labels | null | undefined): boolean {
    if (this.never) return false;
    for (const requirement of this.requirements) {
      if (!requirement.matches(labels ?? NO_LABELS)) return false;
    }
    return true;
  }

  /** The string form; parsing it gives an equal selector. */
  toString(): string {
    return this.requirements.map(String).join(',');
  }
}

const NO_LABELS: Labels = {};
// Process-wide: a selector never changes.
const EVERYTHING = new LabelSelector([]);
const NOTHING = new LabelSelector([], true);

/** The selector that no object matches. */
export function nothing(): LabelSelector {
  return NOTHING;
}

/** Reads the string form. Throws Error with the words of Kubernetes. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return EVERYTHING;
  if (text.length > SELECTOR_LENGTH_MAX) throw new Error(`selector is longer than ${SELECTOR_LENGTH_MAX} characters`);
  return new LabelSelector(parseLabelRequirements(text, REQUIREMENTS_MAX, TOO_MANY_REQUIREMENTS));
}

/** The object form of the API. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string> | null;
  matchExpressions?: readonly LabelSelectorExpression[] | null;
}

export interface LabelSelectorExpression {
  key: string;
  operator: string;
  values?: readonly string[] | null;
}

const EXPRESSION_OPERATORS = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * Compiles the object form: absent matches nothing, empty matches everything. Throws Error for forms that validation
 * refuses.
 */
export function labelSelectorAsSelector(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector == null) return NOTHING;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    requirements.push(labelRequirement(key, '=', [value]));
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const op = EXPRESSION_OPERATORS.get(operator);
    if (op === undefined) throw new Error(`${goQuote(operator)} is not a valid label selector operator`);
    requirements.push(labelRequirement(key, op, values ?? []));
  }
  return requirements.length === 0 ? EVERYTHING : new LabelSelector(requirements);
}

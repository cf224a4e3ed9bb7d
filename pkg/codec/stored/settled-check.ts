import { canonicalizeQuantity, MILLI } from '../../apimachinery/values/quantity.ts';
import type { FieldPlan } from './message-plan.ts';
import type { SettledRule } from './settled-rules.ts';

/** Quantities that need no rounding, of those seen last. Process-wide: that depends on their text alone. */
const wholeQuantities = new Set<string>();
const WHOLE_MAX = 4096;

/** A rule by field numbers. */
export interface CompiledRule {
  readonly set: readonly number[];
  readonly present: readonly number[];
  /** Of one byte that is zero where they are present. */
  readonly unset: readonly FieldPlan[];
  readonly equal: readonly [FieldPlan, FieldPlan] | undefined;
  readonly covered: readonly [FieldPlan, FieldPlan] | undefined;
  readonly whole: readonly FieldPlan[];
  readonly notEmpty: boolean;
  /** Field number of the type. */
  readonly highest: number;
}

export function compileRule(name: string, rule: SettledRule, fields: readonly FieldPlan[]): CompiledRule {
  const fieldOf = (wanted: string): FieldPlan => {
    const field = fields.find((each) => each.name === wanted);
    if (field === undefined) throw new Error(`${name} has no ${wanted}`);
    return field;
  };
  const pair = (names: readonly [string, string] | undefined): [FieldPlan, FieldPlan] | undefined =>
    names === undefined ? undefined : [fieldOf(names[0]), fieldOf(names[1])];
  return {
    set: (rule.set ?? []).map((each) => fieldOf(each).number),
    present: (rule.present ?? []).map((each) => fieldOf(each).number),
    unset: (rule.unset ?? []).map(fieldOf),
    equal: pair(rule.equal),
    covered: pair(rule.covered),
    whole: (rule.whole ?? []).map(fieldOf),
    notEmpty: rule.notEmpty ?? false,
    highest: Math.max(...fields.map(({ number }) => number)),
  };
}

/**
 * Whether a message satisfies the rule of its type. `seen` has, from `base` on and by field number, one more than where
 * the field's first value is, and 0 where it has none.
 */
export function keepsRule(rule: CompiledRule, buffer: Buffer, seen: Int32Array, base: number, end: number): boolean {
  for (const number of rule.set) {
    const at = seen[base + number]!;
    if (at === 0 || buffer[at - 1] === 0) return false;
  }
  for (const number of rule.present) if (seen[base + number] === 0) return false;
  for (const { number, wireType } of rule.unset) {
    const at = seen[base + number]!;
    if (at > 0 && (wireType !== 0 || buffer[at - 1] !== 0)) return false;
  }
  if (rule.notEmpty && isEmpty(rule, seen, base)) return false;
  if (rule.equal !== undefined) {
    const [one, other] = rule.equal;
    const otherAt = seen[base + other.number]! - 1;
    const firstAt = other.kind === 'message' ? firstStringAt(buffer, otherAt) : otherAt;
    if (!isSameText(buffer, seen[base + one.number]! - 1, firstAt)) return false;
  }
  for (const field of rule.whole) {
    const at = seen[base + field.number]!;
    if (at > 0 && !areWhole(buffer, field.number, at - 1, end)) return false;
  }
  return rule.covered === undefined || isCovered(rule.covered, buffer, seen, base, end);
}

function isEmpty({ highest }: CompiledRule, seen: Int32Array, base: number): boolean {
  for (let number = 0; number <= highest; number++) if (seen[base + number]! > 0) return false;
  return true;
}

/** Where the length of the first string of a list's first message is; -1 without one, NaN where it is another field. */
function firstStringAt(buffer: Buffer, at: number): number {
  if (at < 0 || buffer[at] === 0) return -1;
  return buffer[at + 1] === 10 ? at + 2 : Number.NaN;
}

/** Of strings of less than 128 bytes whose lengths are at these places; one below 0 stands for an empty string. */
function isSameText(buffer: Buffer, one: number, other: number): boolean {
  if (Number.isNaN(other)) return false;
  const length = one < 0 ? 0 : buffer[one]!;
  if (length >= 0x80 || length !== (other < 0 ? 0 : buffer[other]!)) return false;
  for (let i = 1; i <= length; i++) if (buffer[one + i] !== buffer[other + i]) return false;
  return true;
}

/*
 * A map of quantities: each entry is its length, 10, the key with its length, 18, the length of the quantity's message,
 * 10, and its text with its length; after its first entry the field's tag comes before each. Entries of 128 bytes and
 * more break the rule.
 */

/** Where the text of an entry's quantity has its length; -1 where the entry is long. */
function quantityAt(buffer: Buffer, entry: number): number {
  const keyEnd = entry + 3 + buffer[entry + 2]!;
  return buffer[entry]! < 0x80 && buffer[keyEnd] === 18 && buffer[keyEnd + 2] === 10 ? keyEnd + 3 : -1;
}

/** Where the entry after this one begins; -1 after the last. */
function nextEntry(buffer: Buffer, number: number, entry: number, end: number): number {
  const stop = entry + 1 + buffer[entry]!;
  return stop < end && buffer[stop] === ((number << 3) | 2) ? stop + 1 : -1;
}

function areWhole(buffer: Buffer, number: number, first: number, end: number): boolean {
  for (let entry = first; entry >= 0; entry = nextEntry(buffer, number, entry, end)) {
    const at = quantityAt(buffer, entry);
    if (at < 0 || !isWhole(buffer, at + 1, entry + 1 + buffer[entry]!)) return false;
  }
  return true;
}

/** Entries are short: both maps are whole. */
function isCovered(
  [covered, covering]: readonly [FieldPlan, FieldPlan],
  buffer: Buffer,
  seen: Int32Array,
  base: number,
  end: number,
): boolean {
  const first = seen[base + covering.number]! - 1;
  let entry = seen[base + covered.number]! - 1;
  for (; entry >= 0; entry = nextEntry(buffer, covered.number, entry, end)) {
    let other = first;
    while (other >= 0 && !isSameText(buffer, entry + 2, other + 2))
      other = nextEntry(buffer, covering.number, other, end);
    if (other < 0) return false;
  }
  return true;
}

const ZERO = 0x30;
const NINE = 0x39;
const SMALL_M = 0x6d;
const SMALL_I = 0x69;

function isWhole(buffer: Buffer, start: number, end: number): boolean {
  return isPlain(buffer, start, end) || isKnownWhole(buffer.toString('latin1', start, end));
}

/** Up to three digits, in milli, units, or with a binary suffix: what most quantities are. */
function isPlain(buffer: Buffer, start: number, end: number): boolean {
  const first = buffer[start]!;
  if (end - start > 5 || first <= ZERO || first > NINE) return false;
  let at = start + 1;
  while (at < end && buffer[at]! >= ZERO && buffer[at]! <= NINE) at++;
  if (at - start > 3) return false;
  if (at === end) return true;
  if (at + 1 === end) return buffer[at] === SMALL_M;
  if (at + 2 !== end || buffer[at + 1] !== SMALL_I) return false;
  const prefix = buffer[at];
  // Ki, Mi, Gi.
  return prefix === 0x4b || prefix === 0x4d || prefix === 0x47;
}

function isKnownWhole(quantity: string): boolean {
  if (wholeQuantities.has(quantity)) return true;
  try {
    if (canonicalizeQuantity(quantity, MILLI) !== quantity) return false;
  } catch {
    // Decoding the object reports it.
    return false;
  }
  if (wholeQuantities.size >= WHOLE_MAX) wholeQuantities.clear();
  wholeQuantities.add(quantity);
  return true;
}

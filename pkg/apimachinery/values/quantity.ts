/**
 * Quantities: exact decimal numbers with a unit (`100m`, `1.5Gi`, `12e6`). A quantity keeps the family of its suffix
 * and prints in canonical form: no fraction, the largest unit that loses nothing. A text that is canonical enough for
 * Kubernetes is kept as it was written (`+2` stays `+2`), since reading must not change stored objects.
 */
import { parseQuantityParts, quantityAmount } from './quantity-parser.ts';
import { binaryText, decimalText } from './quantity-format.ts';
import { goQuote, goText } from './go-format.ts';
import type { GoText } from './go-format.ts';

export { QuantityError } from './quantity-parser.ts';

/** The family of suffixes. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export const MILLI = -3;

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** Up to this amount thousandths fit 64 bits. */
export const MILLI_SAFE_MAX = INT64_MAX / 1000n;
/** Beyond this many digits a value is out of 64 bits at any requested scale. */
const EXPONENT_OUT_OF_REACH = 1000;

/** An immutable amount: `unscaled * 10^scale`. */
export class Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where that counts as canonical. */
  private readonly kept: string | undefined;

  constructor(unscaled: bigint, scale: number, format: QuantityFormat, kept?: string) {
    this.unscaled = unscaled;
    this.scale = scale;
    this.format = format;
    this.kept = kept;
  }

  static zero(format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(0n, 0, format);
  }

  static fromInteger(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), 0, format);
  }

  static fromMilli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), MILLI, format);
  }

  /** The text as it is stored and sent. */
  toString(): string {
    if (this.kept !== undefined) return this.kept;
    if (this.unscaled === 0n) return '0';
    if (this.format === 'BinarySI' && !this.isWithin1024()) {
      const whole = this.asInteger();
      if (whole !== undefined) return binaryText(whole);
    }
    return decimalText(this.unscaled, this.scale, this.format === 'DecimalExponent');
  }

  toJSON(): string {
    return this.toString();
  }

  isZero(): boolean {
    return this.unscaled === 0n;
  }

  sign(): -1 | 0 | 1 {
    return this.unscaled === 0n ? 0 : this.unscaled < 0n ? -1 : 1;
  }

  compare(other: Quantity): -1 | 0 | 1 {
    const sign = this.sign();
    if (sign !== other.sign()) return sign < other.sign() ? -1 : 1;
    if (sign === 0) return 0;
    // Exponents come from clients: magnitudes that differ that much are not expanded.
    const lead = digits(this.unscaled) + this.scale - digits(other.unscaled) - other.scale;
    if (Math.abs(lead) > 1) return lead > 0 === sign > 0 ? 1 : -1;
    const scale = Math.min(this.scale, other.scale);
    const a = this.at(scale);
    const b = other.at(scale);
    return a === b ? 0 : a < b ? -1 : 1;
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /**
   * The sum, in this quantity's format, or in the other's when this is zero. Exponents come from clients: of two
   * amounts whose sum would have a thousand digits and more, the larger is returned, in its own format.
   */
  add(other: Quantity): Quantity {
    if (this.isZero()) return new Quantity(other.unscaled, other.scale, other.format);
    if (other.isZero()) return new Quantity(this.unscaled, this.scale, this.format);
    const scale = Math.min(this.scale, other.scale);
    if (Math.max(this.scale, other.scale) - scale > EXPONENT_OUT_OF_REACH)
      return this.abs().compare(other.abs()) < 0 ? other : this;
    return new Quantity(this.at(scale) + other.at(scale), scale, this.format);
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  neg(): Quantity {
    return new Quantity(-this.unscaled, this.scale, this.format);
  }

  /** Rounds away from zero to a multiple of `10^scale`; a finer text is then written again. */
  roundUp(scale: number): Quantity {
    if (this.scale >= scale) return this;
    return new Quantity(this.scaledValue(scale), scale, this.format);
  }

  /** The amount in units of `10^scale`, rounded away from zero. Not bounded to 64 bits. */
  scaledValue(scale: number): bigint {
    if (this.unscaled === 0n) return 0n;
    if (this.scale >= scale) return this.at(scale);
    const drop = scale - this.scale;
    if (drop > digits(this.unscaled)) return this.unscaled < 0n ? -1n : 1n;
    const unit = 10n ** BigInt(drop);
    const quotient = this.unscaled / unit;
    if (this.unscaled % unit === 0n) return quotient;
    return this.unscaled < 0n ? quotient - 1n : quotient + 1n;
  }

  /** The whole number, rounded away from zero and held within 64 bits. */
  value(): bigint {
    return this.bounded(0);
  }

  /** Thousandths, rounded away from zero and held within 64 bits. */
  milliValue(): bigint {
    return this.bounded(MILLI);
  }

  /** The exact whole number when it is one that fits 64 bits. */
  asInt64(): bigint | undefined {
    const whole = this.asInteger();
    return whole !== undefined && whole >= INT64_MIN && whole <= INT64_MAX ? whole : undefined;
  }

  /** The nearest double. */
  asFloat(): number {
    return Number(`${this.unscaled}e${this.scale}`);
  }

  /** As a field error quotes it. */
  toGoText(): GoText {
    return goText(goQuote(this.toString()));
  }

  private abs(): Quantity {
    return this.unscaled < 0n ? this.neg() : this;
  }

  private bounded(scale: number): bigint {
    if (this.unscaled !== 0n && this.scale - scale > EXPONENT_OUT_OF_REACH)
      return this.unscaled < 0n ? INT64_MIN : INT64_MAX;
    const value = this.scaledValue(scale);
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : value;
  }

  private asInteger(): bigint | undefined {
    if (this.unscaled === 0n) return 0n;
    if (this.scale > EXPONENT_OUT_OF_REACH) return undefined;
    if (this.scale >= 0) return this.at(0);
    const unit = 10n ** BigInt(-this.scale);
    return this.unscaled % unit === 0n ? this.unscaled / unit : undefined;
  }

  private isWithin1024(): boolean {
    return this.compare(LIMIT_1024) < 0 && this.compare(MINUS_1024) > 0;
  }

  /** The amount at a scale that is not coarser. */
  private at(scale: number): bigint {
    return this.scale === scale ? this.unscaled : this.unscaled * 10n ** BigInt(this.scale - scale);
  }
}

const LIMIT_1024 = Quantity.fromInteger(1024);
const MINUS_1024 = Quantity.fromInteger(-1024);

/** Decimal digits of a number. */
function digits(value: bigint): number {
  return String(value < 0n ? -value : value).length;
}

/** Reads a quantity. Throws QuantityError. */
export function parseQuantity(text: string): Quantity {
  if (text === '0') return new Quantity(0n, 0, 'DecimalSI', text);
  const amount = quantityAmount(parseQuantityParts(text), text);
  return new Quantity(amount.unscaled, amount.scale, amount.format, amount.kept);
}

/** Up to three digits without a leading zero, and a decimal unit without rounding: written the same way as read. */
const PLAINLY_CANONICAL = /^[1-9][0-9]{0,2}(?:m|k|M|G)?$/;
const CACHE_ENTRIES_MAX = 4096;
const CACHED_TEXT_MAX = 32;
// Process-wide: what a text means depends on nothing else.
const cache = new Map<string, string>();

/**
 * The text of a quantity as the server stores it; with `scale`, rounded up to multiples of `10^scale` first (resource
 * lists round to milli). Usual texts come from a bounded cache. Throws QuantityError.
 */
export function canonicalizeQuantity(text: string, scale?: typeof MILLI): string {
  if (text === '0' || PLAINLY_CANONICAL.test(text)) return text;
  const key = scale === undefined ? text : `${text}~`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const quantity = parseQuantity(text);
  const canonical = (scale === undefined ? quantity : quantity.roundUp(scale)).toString();
  if (text.length <= CACHED_TEXT_MAX) {
    if (cache.size >= CACHE_ENTRIES_MAX) cache.clear();
    cache.set(key, canonical);
  }
  return canonical;
}

/** Orders two texts by amount. Throws QuantityError. */
export function compareQuantities(a: string, b: string): -1 | 0 | 1 {
  return a === b ? 0 : parseQuantity(a).compare(parseQuantity(b));
}

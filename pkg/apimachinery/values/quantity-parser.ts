/** Parses the text of a quantity: first into its parts, then into an amount. */
import type { QuantityFormat } from './quantity.ts';
import { BINARY_EXPONENTS, DECIMAL_EXPONENTS } from './quantity-format.ts';

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";
/** No sensible quantity is longer; bounds the work that a hostile one can cause. */
const TEXT_LENGTH_MAX = 1024;
const INT32_MAX = 2147483647n;
const INT64_MAX = 2n ** 63n - 1n;
/** Digits that a 64-bit integer holds in any case. */
const SAFE_DIGITS = 18;
const NANO = -9;

/** An invalid quantity, in the words of Kubernetes. */
export class QuantityError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'QuantityError';
  }
}

/** A text taken apart. `whole` has no leading zeros and is never empty. */
export interface QuantityParts {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly hasDigits: boolean;
  readonly suffix: string;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const SUFFIX_LETTERS = 'eEinumkKMGTP';

/** Splits into sign, digits and suffix, in one pass. Throws QuantityError. */
export function parseQuantityParts(text: string): QuantityParts {
  if (text === '' || text.length > TEXT_LENGTH_MAX) throw new QuantityError(WRONG_FORMAT);
  let pos = 0;
  const skip = (accepts: (at: number) => boolean): string => {
    const start = pos;
    while (pos < text.length && accepts(pos)) pos++;
    return text.slice(start, pos);
  };
  const digitAt = (at: number): boolean => isDigit(text.charCodeAt(at));
  const signAt = (at: number): boolean => text[at] === '-' || text[at] === '+';
  const negative = text[0] === '-';
  if (signAt(0)) pos++;
  const zeros = skip((at) => text[at] === '0');
  const whole = skip(digitAt);
  let fraction = '';
  if (text[pos] === '.') {
    pos++;
    fraction = skip(digitAt);
  }
  const suffixStart = pos;
  skip((at) => SUFFIX_LETTERS.includes(text[at] ?? ' '));
  if (pos < text.length && signAt(pos)) pos++;
  skip(digitAt);
  if (pos < text.length) throw new QuantityError(WRONG_FORMAT);
  return {
    negative,
    whole: whole === '' ? '0' : whole,
    fraction,
    hasDigits: zeros !== '' || whole !== '' || fraction !== '',
    suffix: text.slice(suffixStart),
  };
}

interface Suffix {
  readonly format: QuantityFormat;
  /** A power of ten, or of two for BinarySI. */
  readonly exponent: number;
}

function parseSuffix(text: string): Suffix {
  const decimal = DECIMAL_EXPONENTS.get(text);
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal };
  const binary = BINARY_EXPONENTS.get(text);
  if (binary !== undefined) return { format: 'BinarySI', exponent: binary };
  if (!/^[eE][-+]?\d+$/.test(text)) throw new QuantityError(WRONG_SUFFIX);
  const exponent = BigInt(text[1] === '+' ? text.slice(2) : text.slice(1));
  if (exponent > INT32_MAX || exponent < -INT32_MAX) throw new QuantityError(WRONG_SUFFIX);
  return { format: 'DecimalExponent', exponent: Number(exponent) };
}

export interface QuantityAmount {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  readonly kept?: string;
}

/** The amount of the parts. `text` is what they were read from. Throws QuantityError. */
export function quantityAmount(parts: QuantityParts, text: string): QuantityAmount {
  const { format, exponent } = parseSuffix(parts.suffix);
  const small = smallAmount(parts, format, exponent, text);
  if (small !== undefined) return small;
  if (!parts.hasDigits) throw new QuantityError(WRONG_NUMBER);
  let unscaled = BigInt(parts.whole + parts.fraction);
  let scale = -parts.fraction.length;
  if (format === 'BinarySI') unscaled <<= BigInt(exponent);
  else scale += exponent;
  // Below a billionth everything rounds up: a request for something never becomes zero.
  if (scale < NANO) {
    unscaled = unscaled === 0n ? 0n : roundUp(unscaled, NANO - scale);
    scale = NANO;
  }
  if (format !== 'BinarySI') return { unscaled: signed(unscaled, parts), scale, format };
  const unit = 10n ** BigInt(-scale);
  if (unscaled > INT64_MAX * unit) return { unscaled: signed(INT64_MAX, parts), scale: 0, format };
  const belowOne = unscaled > 0n && unscaled < unit;
  return { unscaled: signed(unscaled, parts), scale, format: belowOne ? 'DecimalSI' : format };
}

function signed(value: bigint, parts: QuantityParts): bigint {
  return parts.negative ? -value : value;
}

function roundUp(value: bigint, places: number): bigint {
  if (places > TEXT_LENGTH_MAX) return 1n;
  const unit = 10n ** BigInt(places);
  return value / unit + (value % unit === 0n ? 0n : 1n);
}

/**
 * Amounts that 64 bits hold without doubt. Only these may keep their text: when its exponent is one that has a suffix
 * and no factor can move from the digits into it. The rules are exactly those of Kubernetes, since they decide what
 * clients read back.
 */
function smallAmount(
  parts: QuantityParts,
  format: QuantityFormat,
  exponent: number,
  text: string,
): QuantityAmount | undefined {
  const { whole, fraction } = parts;
  const written = whole + fraction;
  const isBinary = format === 'BinarySI';
  if (isBinary && fraction !== '') return undefined;
  const room = isBinary
    ? 15 - whole.length - Math.trunc(Math.fround(exponent * 3) / 10) - 1
    : SAFE_DIGITS - whole.length - fraction.length;
  const scale = isBinary ? 0 : exponent - fraction.length;
  if (room < 0 || scale < NANO) return undefined;
  const digits = BigInt(written);
  const unscaled = isBinary ? digits << BigInt(exponent) : digits;
  if (unscaled > INT64_MAX) return undefined;
  const keeps = isBinary
    ? exponent % 10 === 0 && (digits & 7n) !== 0n
    : scale % 3 === 0 && !written.endsWith('000') && !written.startsWith('0');
  const amount = { unscaled: signed(unscaled, parts), scale, format };
  return keeps ? { ...amount, kept: text } : amount;
}

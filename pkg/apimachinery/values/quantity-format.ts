/** The suffixes of quantities and the canonical texts made with them. */

const DECIMAL_SUFFIXES: readonly (readonly [string, number])[] = [
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Power of ten by suffix. */
export const DECIMAL_EXPONENTS: ReadonlyMap<string, number> = new Map(DECIMAL_SUFFIXES);
/** Power of two by suffix; without a suffix it is decimal. */
export const BINARY_EXPONENTS: ReadonlyMap<string, number> = new Map(
  BINARY_SUFFIXES.slice(1).map((suffix, i) => [suffix, (i + 1) * 10] as const),
);

const SUFFIX_BY_EXPONENT = new Map(DECIMAL_SUFFIXES.map(([suffix, exponent]) => [exponent, suffix]));
const EXPONENT_MAX = 18;

/** `unscaled * 10^scale` with the exponent as a suffix, or as `e3`, and always a multiple of three. */
export function decimalText(unscaled: bigint, scale: number, asExponent: boolean): string {
  let digits = String(unscaled);
  const zeros = /0*$/.exec(digits)?.[0].length ?? 0;
  let exponent = scale + zeros;
  digits = digits.slice(0, digits.length - zeros);
  let spare = ((exponent % 3) + 3) % 3;
  // Amounts beyond the largest suffix keep their zeros, so that none is lost.
  if (!asExponent && exponent - spare > EXPONENT_MAX) spare = exponent - EXPONENT_MAX;
  exponent -= spare;
  const number = digits + '0'.repeat(spare);
  if (asExponent) return exponent === 0 ? number : `${number}e${exponent}`;
  return number + (SUFFIX_BY_EXPONENT.get(exponent) ?? '');
}

/** A whole number with the largest binary suffix that divides it. */
export function binaryText(value: bigint): string {
  let index = 0;
  while (value !== 0n && (value & 1023n) === 0n && index < BINARY_SUFFIXES.length - 1) {
    value >>= 10n;
    index++;
  }
  return `${value}${BINARY_SUFFIXES[index] ?? ''}`;
}

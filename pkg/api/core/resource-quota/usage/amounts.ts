import { setKey } from '../../../../apimachinery/json/own-keys.ts';
import { parseQuantity, Quantity } from '../../../../apimachinery/values/quantity.ts';

/** Quantities by resource name. */
export type Amounts = ReadonlyMap<string, Quantity>;

export function amountsOf(list: Readonly<Record<string, string>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

export function listOf(amounts: Amounts): Record<string, string> {
  const list: Record<string, string> = {};
  for (const [name, amount] of amounts) setKey(list, name, amount.toString());
  return list;
}

export function added(one: Amounts, other: Amounts): Map<string, Quantity> {
  const sum = new Map(one);
  addTo(sum, other);
  return sum;
}

/** Adds `added` to `sum` in place, so that a sum over many lists copies none of them. */
export function addTo(sum: Map<string, Quantity>, other: Amounts): void {
  for (const [name, amount] of other) sum.set(name, sum.get(name)?.add(amount) ?? amount);
}

export function areSameAmounts(one: Amounts, other: Amounts): boolean {
  return one.size === other.size && [...one].every(([name, amount]) => other.get(name)?.equals(amount) === true);
}

/** The larger amount of each name. */
export function highest(one: Amounts, other: Amounts): Map<string, Quantity> {
  const most = new Map(one);
  raiseTo(most, other);
  return most;
}

/** `highest`, into `most` itself. */
export function raiseTo(most: Map<string, Quantity>, other: Amounts): void {
  for (const [name, amount] of other)
    if (!most.has(name) || amount.compare(most.get(name)!) > 0) most.set(name, amount);
}

/** By how much `one` exceeds `other`; never negative. */
export function excess(one: Amounts, other: Amounts): Map<string, Quantity> {
  const rest = new Map<string, Quantity>();
  for (const [name, amount] of one) {
    const more = other.has(name) ? amount.sub(other.get(name)!) : amount;
    rest.set(name, more.sign() < 0 ? Quantity.zero(more.format) : more);
  }
  return rest;
}

export function only(amounts: Amounts, names: (name: string) => boolean): Map<string, Quantity> {
  return new Map([...amounts].filter(([name]) => names(name)));
}

export function withoutZeros(amounts: Amounts): Map<string, Quantity> {
  return new Map([...amounts].filter(([, amount]) => !amount.isZero()));
}

/** Names whose amount is above that of `bounds`, where there is one. */
export function namesAbove(amounts: Amounts, bounds: Amounts): Set<string> {
  return new Set(
    [...amounts]
      .filter(([name, amount]) => bounds.has(name) && amount.compare(bounds.get(name)!) > 0)
      .map(([name]) => name),
  );
}

/** `cpu=1,pods=2`, by name. */
export function printed(amounts: Amounts): string {
  return [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${amounts.get(name)!.toString()}`)
    .join(',');
}

import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import { parseQuantity } from '../../../apimachinery/values/quantity.ts';
import type { PersistentVolumeClaim } from '../../../generated/types/core-v1.ts';

/** Warns of sizes that are no whole bytes, in a claim and in templates of claims. */
export function claimSpecWarnings({ resources }: PersistentVolumeClaim['spec'], path: FieldPath): string[] {
  return (['requests', 'limits'] as const).flatMap((kind) => {
    const amount = resources?.[kind]?.['storage'];
    if (amount === undefined || parseQuantity(amount).milliValue() % 1000n === 0n) return [];
    const at = path.child('resources', kind).key('storage').toString();
    return [`${at}: fractional byte value ${goQuote(amount)} is invalid, must be an integer`];
  });
}

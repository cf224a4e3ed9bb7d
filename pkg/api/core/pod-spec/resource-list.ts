import { setKey } from '../../../apimachinery/json/own-keys.ts';
import { canonicalizeQuantity, MILLI } from '../../../apimachinery/values/quantity.ts';

/** Rounds the quantities of a resource list up to thousandths, the finest step that resources have. In place. */
export function roundResourceList(list: Record<string, string> | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) setKey(list, name, canonicalizeQuantity(list[name]!, MILLI));
}

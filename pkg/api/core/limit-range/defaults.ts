import { setKey } from '../../../apimachinery/json/own-keys.ts';
import type { LimitRange, LimitRangeItem } from '../../../generated/types/core-v1.ts';
import { roundResourceList } from '../pod-spec/resource-list.ts';

type Amounts = Record<string, string>;

export function setLimitRangeDefaults({ spec }: LimitRange): void {
  for (const item of spec.limits ?? []) {
    for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio])
      roundResourceList(list);
    if (item.type === 'Container') setContainerDefaults(item);
  }
}

/** The default limit and request of containers follow from the bounds. */
function setContainerDefaults(item: LimitRangeItem): void {
  const limits = completed(item.default, item.max);
  const requests = completed(completed(item.defaultRequest, limits), item.min);
  if (limits !== undefined) item.default = limits;
  if (requests !== undefined) item.defaultRequest = requests;
}

/** `amounts` with those of `source` that it lacks, in order of their names. */
function completed(amounts: Amounts | undefined, source: Amounts | undefined): Amounts | undefined {
  if (source === undefined) return amounts;
  const all = { ...source, ...amounts };
  const sorted: Amounts = {};
  for (const name of Object.keys(all).sort()) setKey(sorted, name, all[name]);
  return sorted;
}

import type { Job } from '../../generated/types/batch-v1.ts';
import { IndexSet } from './index-set.ts';

/** The message of the first rule of the success policy that holds (KEP-3998). */
export function metSuccessRule({ spec }: Job, succeeded: IndexSet): string | undefined {
  const completions = spec.completions ?? 0;
  const rules = succeeded.size === 0 ? [] : (spec.successPolicy?.rules ?? []);
  const index = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeeded.size >= (succeededCount ?? Infinity);
    const required = IndexSet.parse(succeededIndexes, completions);
    return required.common(succeeded) >= (succeededCount ?? required.size);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}

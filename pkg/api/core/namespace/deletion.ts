import type { Namespace } from '../../../generated/types/core-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';

/** A deleted namespace stays, marked as terminating, until its content is gone and its `spec.finalizers` are empty. */
export function beginNamespaceDeletion(
  { metadata, spec, status }: Namespace,
  { now }: StrategyContext,
): 'keep' | 'mark' | 'remove' {
  const held = (spec.finalizers?.length ?? 0) > 0 || (metadata.finalizers?.length ?? 0) > 0;
  if (!held) return 'remove';
  if (metadata.deletionTimestamp !== undefined) return 'keep';
  metadata.deletionTimestamp = now;
  status.phase = 'Terminating';
  return 'mark';
}

/** The content of the namespace is not deleted yet. */
export function holdsContent({ spec }: Namespace): boolean {
  return (spec.finalizers?.length ?? 0) > 0;
}

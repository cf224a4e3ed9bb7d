import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isQualifiedName } from '../../apimachinery/names/names.ts';
import { CoordinatedLeaseStrategyValues } from '../../generated/types/coordination-v1.ts';

/** How the next leader is chosen: a strategy of Kubernetes, or a custom one as `domain/name`. */
export function validateLeaseStrategy(strategy: string, path: FieldPath, errors: FieldErrors): void {
  if (!strategy.includes('/')) {
    if (!CoordinatedLeaseStrategyValues.includes(strategy))
      errors.notSupported(path, strategy, CoordinatedLeaseStrategyValues);
    return;
  }
  for (const problem of isQualifiedName(strategy)) errors.invalid(path, strategy, problem);
}

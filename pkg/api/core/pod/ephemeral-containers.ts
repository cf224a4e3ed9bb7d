import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import type { Pod } from '../../../generated/types/core-v1.ts';
import type { StrategyContext } from '../../resource-definition.ts';
import { MIRROR_POD } from '../pod-spec/annotations.ts';
import { specDifference } from './spec-difference.ts';
import { validateChangedPod } from './validation.ts';

/** Printed as `[]`, as Kubernetes does for errors about no field in particular. */
const WHOLE_POD = FieldPath.root().key('');

/** Debugging containers can be added, and are immutable then. */
export function validateEphemeralContainersUpdate(
  pod: Pod,
  old: Pod,
  errors: FieldErrors,
  { policy }: StrategyContext,
): void {
  if (old.metadata.annotations !== undefined && Object.hasOwn(old.metadata.annotations, MIRROR_POD)) {
    return errors.forbidden(WHOLE_POD, 'static pods do not support ephemeral containers');
  }
  validateChangedPod(pod, old, policy, errors);
  const path = field('spec', 'ephemeralContainers');
  const byName = new Map((pod.spec.ephemeralContainers ?? []).map((c) => [c.name, c]));
  for (const container of old.spec.ephemeralContainers ?? []) {
    const now = byName.get(container.name);
    const name = goQuote(container.name);
    if (now === undefined) errors.forbidden(path, `existing ephemeral containers ${name} may not be removed\n`);
    else if (!semanticDeepEqual(container, now)) {
      errors.forbidden(
        path,
        `existing ephemeral containers ${name} may not be changed\n${specDifference(container, now)}`,
      );
    }
  }
}

import { pods } from '../../api/core/tokens.ts';
import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import { isExtendedResourceName } from '../../api/validation/resource-names.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import type { Toleration } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { handles, requestsOn } from '../handles.ts';

/** Adds tolerations for the taints of extended resources to pods that request them. */
export function extendedResourceTolerationPlugin(): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    admit: handles(requestsOn(pods, 'CREATE', 'UPDATE'), ({ object: pod }) => {
      const names = new Set<string>();
      for (const [{ resources }] of eachContainer(pod.spec, field('spec'))) {
        for (const name of Object.keys(resources?.requests ?? {})) if (isExtendedResourceName(name)) names.add(name);
      }
      const added = [...names].sort().map((key): Toleration => ({ key, operator: 'Exists' }));
      if (added.length > 0) pod.spec.tolerations = withNew(pod.spec.tolerations ?? [], added);
    }),
  };
}

/** A toleration without an effect tolerates all effects of its key. */
function withNew(given: readonly Toleration[], added: readonly Toleration[]): Toleration[] {
  const known = new Set(
    given.filter(({ operator, effect, value }) => operator === 'Exists' && !effect && !value).map(({ key }) => key),
  );
  return [...given, ...added.filter(({ key }) => !known.has(key))];
}

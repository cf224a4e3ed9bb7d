import { eachContainer } from '../../api/core/pod-spec/each-container.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { Pod } from '../../generated/types/core-v1.ts';

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

/**
 * Whether an update changes anything that a policy could forbid: most of a pod is immutable, and old pods must stay
 * updatable under new policies.
 */
export function isSignificantUpdate(pod: Pod, old: Pod): boolean {
  const annotation = ({ metadata }: Pod, key: string): string | undefined => getKey<string>(metadata.annotations, key);
  if (annotation(pod, SECCOMP_POD) !== annotation(old, SECCOMP_POD)) return true;
  const before = new Map([...eachContainer(old.spec, field('spec'))].map(([container]) => [container.name, container]));
  for (const [{ name, image }] of eachContainer(pod.spec, field('spec'))) {
    const key = `${SECCOMP_CONTAINER}${name}`;
    if (!before.has(name) || before.get(name)!.image !== image || annotation(pod, key) !== annotation(old, key))
      return true;
    before.delete(name);
  }
  return before.size > 0;
}

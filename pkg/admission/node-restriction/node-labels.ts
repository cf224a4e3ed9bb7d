const KNOWN = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/windows-build',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
/** Domains, with those below them, of labels that nodes may set on themselves. */
const OF_NODES = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
/** Reserved for operators who isolate some nodes. */
const RESERVED = 'node-restriction.kubernetes.io';

/** Labels that a node may not change on itself, among those that differ between its old and its new state. Sorted. */
export function forbiddenLabelChanges(
  now: Record<string, string> | undefined,
  before: Record<string, string> | undefined,
): string[] {
  const [labels, old] = [new Map(Object.entries(now ?? {})), new Map(Object.entries(before ?? {}))];
  const changed = [...new Set([...labels.keys(), ...old.keys()])].filter((key) => labels.get(key) !== old.get(key));
  return changed.filter(isForbidden).sort();
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf('/');
  const domain = slash < 0 ? '' : label.slice(0, slash);
  if (isWithin(domain, RESERVED)) return true;
  const isOurs = isWithin(domain, 'kubernetes.io') || isWithin(domain, 'k8s.io');
  return isOurs && !KNOWN.has(label) && !OF_NODES.some((own) => isWithin(domain, own));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

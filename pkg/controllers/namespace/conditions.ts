import type { Namespace, NamespaceCondition } from '../../generated/types/core-v1.ts';
import type { DeletedContent } from './delete-content.ts';

interface Finding {
  readonly reason: string;
  readonly message: string;
}

/** Every condition of a namespace that is being deleted, with what it says where nothing is wrong. */
const FINE = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
} as const satisfies Record<string, Finding>;

type ConditionType = keyof typeof FINE;

/** The conditions after one attempt to delete the content. Those of other types stay as they are. */
export function conditionsAfter(
  { status }: Namespace,
  content: DeletedContent,
  now: string,
): readonly NamespaceCondition[] {
  const wrong = findings(content);
  const known = status.conditions ?? [];
  const own = (Object.keys(FINE) as ConditionType[]).map((type): NamespaceCondition => {
    const finding = wrong[type];
    const old = known.find((condition) => condition.type === type);
    const next = finding === undefined ? 'False' : 'True';
    const lastTransitionTime = old?.status === next ? (old.lastTransitionTime ?? now) : now;
    return { type, status: next, lastTransitionTime, ...(finding ?? FINE[type]) };
  });
  const before = known.map((old) => own.find(({ type }) => type === old.type) ?? old);
  return [...before, ...own.filter(({ type }) => known.every((old) => old.type !== type))];
}

function findings({
  discoveryFailures,
  badGroupVersions,
  failures,
  remaining,
  finalizers,
}: DeletedContent): Partial<Record<ConditionType, Finding>> {
  const found: Partial<Record<ConditionType, Finding>> = {};
  if (discoveryFailures.size > 0)
    found.NamespaceDeletionDiscoveryFailure = {
      reason: 'DiscoveryFailed',
      message: discoveryFailureMessage(discoveryFailures),
    };
  if (badGroupVersions.length > 0)
    found.NamespaceDeletionGroupVersionParsingFailure = {
      reason: 'GroupVersionParsingFailed',
      message: badGroupVersions.map((text) => `unexpected GroupVersion string: ${text}`).join(', '),
    };
  if (failures.length > 0)
    found.NamespaceDeletionContentFailure = {
      reason: 'ContentDeletionFailed',
      message: `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
    };
  if (remaining.size > 0)
    found.NamespaceContentRemaining = {
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${counted(remaining, 'has ')}`,
    };
  if (finalizers.size > 0)
    found.NamespaceFinalizersRemaining = {
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in ')}`,
    };
  return found;
}

function counted(numbers: ReadonlyMap<string, number>, verb: string): string {
  return [...numbers]
    .map(([name, count]) => `${name} ${verb}${count} resource instances`)
    .sort()
    .join(', ');
}

export function discoveryFailureMessage(failures: ReadonlyMap<string, unknown>): string {
  const texts = [...failures].map(
    ([groupVersion, error]) => `${groupVersion}: ${error instanceof Error ? error.message : String(error)}`,
  );
  const list = `unable to retrieve the complete list of server APIs: ${texts.sort().join(', ')}`;
  return `Discovery failed for some groups, ${failures.size} failing: ${list}`;
}

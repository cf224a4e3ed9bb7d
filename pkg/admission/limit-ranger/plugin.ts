import type { LimitRange, PersistentVolumeClaim, Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { concerns, isPodResize } from '../subject-matter.ts';
import { claimProblems, podProblems } from './constraints.ts';
import { setContainerDefaults } from './container-defaults.ts';

/** Applies the limit ranges of a namespace: defaults for containers, bounds for containers, pods and volume claims. */
export function limitRangerPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    async admit(request) {
      if (!isNewPod(request)) return;
      for (const range of await rangesOf(request, lookup)) setContainerDefaults(request.object as Pod, range);
    },
    async validate(request) {
      const isClaim = concerns(request, '', 'persistentvolumeclaims', 'CREATE', 'UPDATE');
      if (!isClaim && !isNewPod(request) && !isPodResize(request)) return;
      // What is being deleted need not fit any more: its finalizers must be removable.
      if (request.oldObject?.metadata.deletionTimestamp !== undefined) return;
      for (const range of await rangesOf(request, lookup)) {
        const problems = isClaim ? claimProblems(request.object as PersistentVolumeClaim, range) : podProblems(request.object as Pod, range);
        if (problems.length > 0) throw refusal(request, joined(problems));
      }
    },
  };
}

function isNewPod(request: AdmissionRequest): boolean {
  return concerns(request, '', 'pods', 'CREATE');
}

function rangesOf(request: AdmissionRequest, lookup: ObjectLookup): Promise<readonly LimitRange[]> {
  return lookup.list<LimitRange>('limitranges', request.namespace);
}

function joined(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}

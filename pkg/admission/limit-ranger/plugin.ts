import { limitRanges, persistentVolumeClaims, pods } from '../../api/core/tokens.ts';
import type { LimitRange, Pod } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { checkSteps } from '../bounded-work.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, isPodResize, requestsOn, type RequestOn } from '../handles.ts';
import { claimProblems, containerBounds, podProblems } from './constraints.ts';
import { setContainerDefaults } from './container-defaults.ts';

/** Applies the limit ranges of a namespace: defaults for containers, bounds for containers, pods and volume claims. */
export function limitRangerPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'LimitRanger',
    admit: handles(isNewPod, async (request) => {
      const ranges = await rangesOf(request, lookup);
      checkProduct(request, ranges);
      for (const range of ranges) setContainerDefaults(request.object, range);
    }),
    validate: handles(isLimited, async (request) => {
      // Objects that are being deleted need not satisfy bounds any more: their finalizers must be removable.
      if (request.oldObject?.metadata.deletionTimestamp !== undefined) return;
      const ranges = await rangesOf(request, lookup);
      if (!isClaim(request)) checkProduct(request, ranges);
      for (const range of ranges) {
        const problems = isClaim(request) ? claimProblems(request.object, range) : podProblems(request.object, range);
        if (problems.length > 0) throw refusal(request, joined(problems));
      }
    }),
  };
}

const isNewPod = requestsOn(pods, 'CREATE');
const isClaim = requestsOn(persistentVolumeClaims, 'CREATE', 'UPDATE');

const isLimited = (request: AdmissionRequest) => isNewPod(request) || isClaim(request) || isPodResize(request);

/** Every bound is compared with every container. */
function checkProduct(request: RequestOn<Pod, 'CREATE' | 'UPDATE'>, ranges: readonly LimitRange[]): void {
  const { containers, initContainers } = request.object.spec;
  const bounds = ranges.reduce((sum, range) => sum + containerBounds(range), 0);
  checkSteps(
    request,
    bounds * ((containers ?? []).length + (initContainers ?? []).length),
    'containers and bounds of limit ranges',
  );
}

function rangesOf(request: AdmissionRequest, lookup: ObjectLookup): Promise<readonly LimitRange[]> {
  return lookup.list(limitRanges, request.namespace);
}

function joined(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}

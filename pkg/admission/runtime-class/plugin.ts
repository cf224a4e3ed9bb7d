import { runtimeClasses } from '../../api/node/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { getKey, setKey } from '../../apimachinery/json/own-keys.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { RuntimeClass } from '../../generated/types/node-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';
import { mergeTolerations } from '../merge-tolerations.ts';

/** Sets the overhead and the placement of a runtime class on its pods. */
export function runtimeClassPlugin(lookup: ObjectLookup): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    admit: handles(requestsOn(pods, 'CREATE'), async (request) => {
      const pod = request.object;
      const runtimeClass = await runtimeClassOf(request, pod, lookup);
      if (runtimeClass === undefined) return;
      setOverhead(request, pod, runtimeClass);
      setScheduling(request, pod, runtimeClass);
    }),
    validate: handles(requestsOn(pods, 'CREATE'), async (request) => {
      const pod = request.object;
      const overhead = (await runtimeClassOf(request, pod, lookup))?.overhead;
      if (overhead !== undefined && !semanticDeepEqual(overhead.podFixed, pod.spec.overhead))
        throw otherOverhead(request);
      if (overhead === undefined && pod.spec.overhead !== undefined) {
        throw refusal(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
      }
    }),
  };
}

async function runtimeClassOf(
  request: AdmissionRequest,
  pod: Pod,
  lookup: ObjectLookup,
): Promise<RuntimeClass | undefined> {
  const name = pod.spec.runtimeClassName;
  if (name === undefined) return undefined;
  const found = await lookup.get(runtimeClasses, '', name);
  if (found === undefined) throw refusal(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
  return found;
}

function otherOverhead(request: AdmissionRequest): Error {
  return refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setOverhead(request: AdmissionRequest, { spec }: Pod, { overhead }: RuntimeClass): void {
  if (overhead === undefined) return;
  if (spec.overhead !== undefined && !semanticDeepEqual(overhead.podFixed, spec.overhead)) throw otherOverhead(request);
  if (overhead.podFixed !== undefined) spec.overhead = { ...overhead.podFixed };
}

function setScheduling(request: AdmissionRequest, { spec }: Pod, { scheduling }: RuntimeClass): void {
  if (scheduling === undefined) return;
  const selector = { ...spec.nodeSelector };
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = getKey<string>(selector, key);
    if (own !== undefined && own !== value) {
      throw refusal(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    }
    setKey(selector, key, value);
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

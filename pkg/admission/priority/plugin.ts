import { priorityClasses } from '../../api/scheduling/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PriorityClass } from '../../generated/types/scheduling-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn, type RequestOn } from '../handles.ts';

/** The mark of critical system pods before there were classes. */
const CRITICAL = 'scheduler.alpha.kubernetes.io/critical-pod';
const CRITICAL_CLASS = 'system-cluster-critical';

export interface PrioritySettings {
  /** The annotation of critical pods counts (feature gate `ExperimentalCriticalPodAnnotation`). */
  readonly criticalByAnnotation: boolean;
}

/** The effect of a class on a pod. */
interface Rank {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string | undefined;
}

/** Sets the number of a pod's priority class, and refuses a second default class. */
export function priorityPlugin(lookup: ObjectLookup, { criticalByAnnotation }: PrioritySettings): AdmissionPlugin {
  return {
    name: 'Priority',
    admit: handles(requestsOn(pods, 'CREATE', 'UPDATE'), (request) => {
      if (request.operation === 'UPDATE') return keepRank(request.object, request.oldObject);
      if (criticalByAnnotation) classCritical(request);
      return rankPod(request, lookup);
    }),
    validate: handles(requestsOn(priorityClasses, 'CREATE', 'UPDATE'), async (request) => {
      const wanted = request.object;
      if (wanted.globalDefault !== true) return;
      const present = await defaultClass(lookup);
      if (present === undefined || (request.operation === 'UPDATE' && present.metadata.name === wanted.metadata.name))
        return;
      throw refusal(
        request,
        `PriorityClass ${present.metadata.name ?? ''} is already marked as default. Only one default can exist`,
      );
    }),
  };
}

function classCritical({ namespace, object: { metadata, spec } }: RequestOn<Pod, 'CREATE'>): void {
  if (!spec.priorityClassName && namespace === 'kube-system' && getKey(metadata.annotations, CRITICAL) === '')
    spec.priorityClassName = CRITICAL_CLASS;
}

async function rankPod(request: RequestOn<Pod, 'CREATE'>, lookup: ObjectLookup): Promise<void> {
  const { spec } = request.object;
  const rank = spec.priorityClassName
    ? await rankOf(request, spec.priorityClassName, lookup)
    : await defaultRank(lookup);
  if (rank.className !== '') spec.priorityClassName = rank.className;
  if (spec.priority !== undefined && spec.priority !== rank.value) {
    throw refusal(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${rank.value} from the given PriorityClass name`,
    );
  }
  spec.priority = rank.value;
  if (rank.preemptionPolicy === undefined) return;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== rank.preemptionPolicy) {
    throw refusal(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${rank.preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = rank.preemptionPolicy;
}

/** Clients that do not know the fields leave them out of their updates; validation then refuses any other change. */
function keepRank(pod: Pod, old: Pod): void {
  if (pod.spec.priority === undefined && old.spec.priority !== undefined) pod.spec.priority = old.spec.priority;
  if (pod.spec.preemptionPolicy === undefined && old.spec.preemptionPolicy !== undefined)
    pod.spec.preemptionPolicy = old.spec.preemptionPolicy;
}

async function rankOf(request: AdmissionRequest, name: string, lookup: ObjectLookup): Promise<Rank> {
  const found = await lookup.get(priorityClasses, '', name);
  if (found === undefined) throw refusal(request, `no PriorityClass with name ${name} was found`);
  return { className: name, value: found.value, preemptionPolicy: found.preemptionPolicy };
}

async function defaultRank(lookup: ObjectLookup): Promise<Rank> {
  const found = await defaultClass(lookup);
  if (found === undefined) return { className: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };
  return { className: found.metadata.name ?? '', value: found.value, preemptionPolicy: found.preemptionPolicy };
}

/** Two servers may have made two defaults at the same moment: the lower one counts. */
async function defaultClass(lookup: ObjectLookup): Promise<PriorityClass | undefined> {
  const all = await lookup.list(priorityClasses, '');
  return all
    .filter((c) => c.globalDefault === true)
    .reduce<PriorityClass | undefined>(
      (least, c) => (least === undefined || c.value < least.value ? c : least),
      undefined,
    );
}

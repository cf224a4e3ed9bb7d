import {
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
} from '../../apimachinery/errors/status-error.ts';
import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { Endpoints, EndpointSubset, Pod, Service } from '../../generated/types/core-v1.ts';
import { isHeadless } from '../service-endpoints/pod-endpoint.ts';
import { withTriggerTime } from '../service-endpoints/trigger-times.ts';
import { newSubsets } from './new-subsets.ts';
import { isOverCapacity, OVER_CAPACITY, truncate } from './truncate.ts';

const HEADLESS = 'service.kubernetes.io/headless';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
export const MANAGER = 'endpoint-controller';

export interface EndpointsSteps {
  readonly podsOf: (service: Service) => readonly Pod[];
  readonly current: () => Endpoints | undefined;
  /** Time of the change that this round answers to. */
  readonly triggerTime: (pods: readonly Pod[]) => string | undefined;
  readonly create: (endpoints: Endpoints) => Promise<unknown>;
  readonly update: (endpoints: Endpoints) => Promise<unknown>;
  readonly failed: (endpoints: Endpoints, reason: string, note: string) => void;
}

/** One service: its Endpoints name the pods that it selects. Those of a service without selector belong to others. */
export async function reconcile(service: Service, steps: EndpointsSteps): Promise<void> {
  if (service.spec.type === 'ExternalName' || service.spec.selector === undefined) return;
  const pods = steps.podsOf(service);
  const time = steps.triggerTime(pods);
  const all = newSubsets(service, pods);
  const [subsets, overCapacity] = [truncate(all), isOverCapacity(all)];
  const current = steps.current();
  const labels = labelsOf(service);
  if (current !== undefined && isCurrent(current, subsets, labels, overCapacity)) return;
  const { [OVER_CAPACITY]: _, ...annotations } = withTriggerTime(current?.metadata.annotations, time);
  const { namespace, name } = service.metadata;
  const wanted: Endpoints = {
    ...current,
    metadata: {
      ...(current?.metadata ?? { namespace, name }),
      labels,
      annotations: overCapacity ? { ...annotations, [OVER_CAPACITY]: 'truncated' } : annotations,
    },
    subsets,
  };
  try {
    await (current === undefined ? steps.create(wanted) : steps.update(wanted));
  } catch (error) {
    report(error, current === undefined, wanted, steps);
  }
}

function isCurrent(
  current: Endpoints,
  subsets: readonly EndpointSubset[],
  labels: Record<string, string>,
  overCapacity: boolean,
): boolean {
  return (
    semanticDeepEqual(current.subsets ?? [], subsets) &&
    semanticDeepEqual(current.metadata.labels ?? {}, labels) &&
    (current.metadata.annotations?.[OVER_CAPACITY] === 'truncated') === overCapacity
  );
}

function labelsOf(service: Service): Record<string, string> {
  const { [HEADLESS]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(isHeadless(service) ? { [HEADLESS]: '' } : {}), [MANAGED_BY]: MANAGER };
}

/**
 * Throws the failure again, for another attempt, unless there is nothing to be done any more. A conflict is not
 * reported: the next attempt sees what it missed.
 */
function report(error: unknown, isNew: boolean, { metadata, ...rest }: Endpoints, { failed }: EndpointsSteps): void {
  if (isNamespaceTerminating(error)) return;
  const { namespace, name } = metadata;
  const subject: Endpoints = { ...rest, apiVersion: 'v1', kind: 'Endpoints', metadata };
  const text = (error as Error).message;
  if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) throw error;
  if (isNew)
    failed(subject, 'FailedToCreateEndpoint', `Failed to create endpoint for service ${namespace}/${name}: ${text}`);
  else failed(subject, 'FailedToUpdateEndpoint', `Failed to update endpoint ${namespace}/${name}: ${text}`);
  throw error;
}

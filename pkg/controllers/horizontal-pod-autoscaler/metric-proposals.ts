import type { Resource } from '../../api/resource.ts';
import { Quantity, parseQuantity } from '../../apimachinery/values/quantity.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricValueStatus,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../generated/types/autoscaling-v2.ts';
import { selectorText } from '../disruption/selector-text.ts';
import type { MetricClients } from './metric-clients.ts';
import {
  type CalculatorInputs,
  replicasByAverage,
  replicasByShare,
  replicasByTotal,
  replicasByUtilization,
} from './replica-calculator.ts';

export interface ProposalInputs extends CalculatorInputs {
  readonly namespace: string;
  /** Of the pods. */
  readonly selector: string;
  /** Pods that the status of the target counts. */
  readonly statusReplicas: number;
  readonly clients: MetricClients;
  readonly resourceOf: (apiVersion: string, kind: string) => Promise<Resource | undefined>;
}

export interface Proposal {
  readonly replicas: number;
  readonly metric: string;
  readonly status: MetricStatus;
}

/** Why a metric proposes nothing: the reason of condition and event, and the words that the autoscaler adds. */
export class MetricError extends Error {
  readonly reason: string;
  /** The message with what it is about. */
  readonly whole: string;

  constructor(reason: string, text: string, subject: string) {
    super(text);
    this.name = 'MetricError';
    this.reason = reason;
    this.whole = subject === '' ? text : `${subject}: ${text}`;
  }
}

/** How many replicas one metric asks for. Rejects with a `MetricError`. */
export function proposalOf(spec: MetricSpec, inputs: ProposalInputs): Promise<Proposal> {
  const { object, pods, resource, containerResource, external } = spec;
  switch (spec.type) {
    case 'Object':
      return explained('FailedGetObjectMetric', objectSubject(object!), () => ofObject(object!, inputs));
    case 'Pods':
      return explained('FailedGetPodsMetric', 'failed to get pods metric value', () => ofPods(pods!, inputs));
    case 'Resource':
      return explained('FailedGetResourceMetric', `failed to get ${resource!.name} resource metric value`, () =>
        ofResource(resource!, undefined, inputs),
      );
    case 'ContainerResource':
      return explained(
        'FailedGetContainerResourceMetric',
        `failed to get ${containerResource!.container} container metric value`,
        () => ofResource(containerResource!, containerResource!.container, inputs),
      );
    case 'External':
      return explained('FailedGetExternalMetric', externalSubject(external!), () => ofExternal(external!, inputs));
    default:
      return Promise.reject(
        new MetricError('InvalidMetricSourceType', `unknown metric source type "${spec.type}"`, ''),
      );
  }
}

function objectSubject({ metric, target }: ObjectMetricSource): string {
  const isAverage = target.type === 'AverageValue' && target.averageValue !== undefined;
  return `failed to get object metric value${isAverage ? `: failed to get ${metric.name} object metric` : ''}`;
}

function externalSubject({ metric: { name }, target }: ExternalMetricSource): string {
  const subject = `failed to get ${name} external metric value`;
  if (target.averageValue !== undefined) return `${subject}: failed to get ${name} external metric`;
  return target.value === undefined ? subject : `${subject}: failed to get external metric ${name}`;
}

async function explained(reason: string, subject: string, propose: () => Promise<Proposal>): Promise<Proposal> {
  try {
    return await propose();
  } catch (error) {
    throw new MetricError(reason, (error as Error).message, subject);
  }
}

async function prefixed<T>(prefix: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${prefix}: ${(error as Error).message}`, { cause: error });
  }
}

async function ofResource(
  source: ResourceMetricSource | ContainerResourceMetricSource,
  container: string | undefined,
  inputs: ProposalInputs,
): Promise<Proposal> {
  const { name, target } = source;
  const { clients, namespace, selector } = inputs;
  const metrics = (): ReturnType<MetricClients['resourceMetrics']> =>
    prefixed(`unable to get metrics for resource ${name}`, () =>
      clients.resourceMetrics(namespace, selector, name, container),
    );
  const statusOf = (current: MetricValueStatus): MetricStatus =>
    container === undefined
      ? { type: 'Resource', resource: { name, current } }
      : { type: 'ContainerResource', containerResource: { name, container, current } };
  if (target.averageValue !== undefined) {
    const { replicas, average } = await prefixed(`failed to get ${name} usage`, async () =>
      replicasByAverage(await metrics(), milli(target.averageValue!), name, inputs),
    );
    return { replicas, metric: `${name} resource`, status: statusOf({ averageValue: milliText(average) }) };
  }
  const { averageUtilization } = target;
  if (averageUtilization === undefined) {
    const problem = 'neither an average utilization target nor an average value (usage) target was set';
    throw new Error(`invalid resource metric source: ${problem}`);
  }
  const { replicas, utilization, average } = await prefixed(`failed to get ${name} utilization`, async () =>
    replicasByUtilization(await metrics(), averageUtilization, name, container, inputs),
  );
  return {
    replicas,
    metric: `${name}${container === undefined ? '' : ' container'} resource utilization (percentage of request)`,
    status: statusOf({ averageUtilization: utilization!, averageValue: milliText(average) }),
  };
}

async function ofPods({ metric, target }: PodsMetricSource, inputs: ProposalInputs): Promise<Proposal> {
  const { clients, namespace, selector } = inputs;
  const metrics = await prefixed(`unable to get metric ${metric.name}`, () =>
    clients.podsMetrics(namespace, selector, metric.name, selectorOf(metric)),
  );
  const { replicas, average } = replicasByAverage(metrics, milli(target.averageValue!), undefined, inputs);
  const status = { type: 'Pods', pods: { metric, current: { averageValue: milliText(average) } } };
  return { replicas, metric: `pods metric ${metric.name}`, status };
}

async function ofObject(source: ObjectMetricSource, inputs: ProposalInputs): Promise<Proposal> {
  const { metric, target, describedObject } = source;
  const { namespace, clients, statusReplicas, tolerances, resourceOf } = inputs;
  const { kind, name, apiVersion = 'v1' } = describedObject;
  const described = async (): Promise<Resource> => {
    const resource = await resourceOf(apiVersion, kind);
    if (resource === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
    return resource;
  };
  let usage: number;
  try {
    usage = await clients.objectMetric(described, namespace, name, metric.name, selectorOf(metric));
  } catch (error) {
    const text = (error as Error).message;
    throw new Error(`unable to get metric ${metric.name}: ${kind} on ${namespace} ${name}/${text}`, { cause: error });
  }
  const statusOf = (current: MetricValueStatus): MetricStatus => ({
    type: 'Object',
    object: { metric, current, describedObject },
  });
  if (target.type === 'Value' && target.value !== undefined) {
    const replicas = replicasByTotal(usage, milli(target.value), inputs);
    return { replicas, metric: `${kind} metric ${metric.name}`, status: statusOf({ value: milliText(usage) }) };
  }
  if (target.averageValue === undefined)
    throw new Error('invalid object metric source: neither a value target nor an average value target was set');
  const { replicas, average } = replicasByShare(usage, milli(target.averageValue), statusReplicas, tolerances);
  return { replicas, metric: externalName(metric), status: statusOf({ averageValue: milliText(average) }) };
}

async function ofExternal({ metric, target }: ExternalMetricSource, inputs: ProposalInputs): Promise<Proposal> {
  const { clients, namespace, statusReplicas, tolerances } = inputs;
  const values = await prefixed(
    `unable to get external metric ${namespace}/${metric.name}/${selectorText(metric.selector)}`,
    () => clients.externalMetric(namespace, metric.name, selectorOf(metric)),
  );
  const usage = values.reduce((sum, value) => sum + value, 0);
  const statusOf = (current: MetricValueStatus): MetricStatus => ({ type: 'External', external: { metric, current } });
  if (target.averageValue !== undefined) {
    const { replicas, average } = replicasByShare(usage, milli(target.averageValue), statusReplicas, tolerances);
    return { replicas, metric: externalName(metric), status: statusOf({ averageValue: milliText(average) }) };
  }
  if (target.value === undefined)
    throw new Error('invalid external metric source: neither a value target nor an average value target was set');
  const replicas = replicasByTotal(usage, milli(target.value), inputs);
  return { replicas, metric: externalName(metric), status: statusOf({ value: milliText(usage) }) };
}

function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${selectorText(selector)})`;
}

function selectorOf({ selector }: MetricIdentifier): string {
  return selector === undefined ? '' : labelSelectorAsSelector(selector).toString();
}

function milli(text: string): number {
  return Number(parseQuantity(text).milliValue());
}

function milliText(value: number): string {
  return Quantity.fromMilli(Math.trunc(value)).toString();
}

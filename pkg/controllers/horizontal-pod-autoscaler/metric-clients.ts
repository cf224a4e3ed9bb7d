import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { parseQuantity } from '../../apimachinery/values/quantity.ts';
import type { Resource } from '../../api/resource.ts';
import type { Client } from '../../client/rest/client.ts';

/** What was measured of one pod. */
export interface PodMetric {
  /** Thousandths. */
  readonly value: number;
  readonly timestampMs: number;
  readonly windowMs: number;
}

export type PodMetrics = Map<string, PodMetric>;

interface Usage {
  readonly name: string;
  readonly usage: Readonly<Record<string, string>>;
}

interface PodUsageList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly timestamp: string;
    readonly window: string;
    readonly containers: readonly Usage[];
  }[];
}

interface MetricValueList {
  readonly items: readonly {
    readonly describedObject?: { readonly name?: string };
    readonly timestamp?: string;
    readonly windowSeconds?: number;
    readonly value: string;
  }[];
}

const RESOURCE_METRICS = '/apis/metrics.k8s.io/v1beta1';
const CUSTOM_METRICS = 'custom.metrics.k8s.io';
const EXTERNAL_METRICS = '/apis/external.metrics.k8s.io/v1beta1';
const CUSTOM_VERSIONS = ['v1beta2', 'v1beta1'];
const WINDOW_MS = 60_000;
const NOT_SERVED = 'the server could not find the requested resource';
const UNSERVED = /^(404 page not found|the server could not find the requested resource)/;

/** The three APIs of metrics, by REST. */
export class MetricClients {
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Usage of a resource by pods, or by one container of each. */
  async resourceMetrics(
    namespace: string,
    selector: string,
    resource: string,
    container: string | undefined,
  ): Promise<PodMetrics> {
    const path = `${RESOURCE_METRICS}/namespaces/${namespace}/pods${query({ labelSelector: selector })}`;
    const { items } = await this.fetch<PodUsageList>('resource', path, 'pods.metrics.k8s.io');
    if ((items ?? []).length === 0) throw new Error('no metrics returned from resource metrics API');
    const metrics: PodMetrics = new Map();
    for (const { metadata, timestamp, window, containers } of items) {
      const counted = container === undefined ? containers : containers.filter(({ name }) => name === container);
      if (container !== undefined && counted.length === 0)
        throw new Error(
          `failed to get container metrics: container ${container} not present in metrics for pod ${namespace}/${metadata.name}`,
        );
      // What misses the resource in one container is not known as a whole.
      if (!counted.every(({ usage }) => usage[resource] !== undefined)) continue;
      metrics.set(metadata.name, {
        value: counted.reduce((sum, { usage }) => sum + milli(usage[resource]!), 0),
        timestampMs: Date.parse(timestamp),
        windowMs: durationMs(window),
      });
    }
    return metrics;
  }

  async podsMetrics(namespace: string, selector: string, metric: string, metricSelector: string): Promise<PodMetrics> {
    const parameters = query({ labelSelector: selector, metricLabelSelector: metricSelector });
    const { items } = await this.custom(() => Promise.resolve(`namespaces/${namespace}/pods/*/${metric}${parameters}`));
    const metrics: PodMetrics = new Map();
    for (const { describedObject, timestamp, windowSeconds, value } of items ?? [])
      metrics.set(describedObject?.name ?? '', {
        value: milli(value),
        timestampMs: Date.parse(timestamp ?? ''),
        windowMs: windowSeconds === undefined ? WINDOW_MS : windowSeconds * 1000,
      });
    if (metrics.size === 0) throw new Error('no metrics returned from custom metrics API');
    return metrics;
  }

  /** Thousandths. */
  async objectMetric(
    described: () => Promise<Resource>,
    namespace: string,
    name: string,
    metric: string,
    metricSelector: string,
  ): Promise<number> {
    const { items } = await this.custom(async () => {
      const { group, resource, kind, namespaced } = await described();
      const plural = group === '' ? resource : `${resource}.${group}`;
      const place =
        kind === 'Namespace' && group === ''
          ? `namespaces/${name}/metrics`
          : `${namespaced ? `namespaces/${namespace}/` : ''}${plural}/${name}`;
      return `${place}/${metric}${query({ metricLabelSelector: metricSelector })}`;
    });
    const [first] = items ?? [];
    if (first === undefined) throw new Error('no metrics returned from custom metrics API');
    return milli(first.value);
  }

  /** Thousandths; a metric may have several values. */
  async externalMetric(namespace: string, metric: string, selector: string): Promise<readonly number[]> {
    const path = `${EXTERNAL_METRICS}/namespaces/${namespace}/${metric}${query({ labelSelector: selector })}`;
    const { items } = await this.fetch<MetricValueList>('external', path, `${metric}.external.metrics.k8s.io`);
    if ((items ?? []).length === 0) throw new Error('no metrics returned from external metrics API');
    return items.map(({ value }) => milli(value));
  }

  /** By the newest version that is served. */
  private async custom(pathOf: () => Promise<string>): Promise<MetricValueList> {
    let served: string | undefined;
    try {
      const group = await this.client.getPath<{ versions: { version: string }[] }>(`/apis/${CUSTOM_METRICS}`);
      served = CUSTOM_VERSIONS.find((version) => group.versions.some((other) => other.version === version));
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404)
        throw new Error(`unable to fetch metrics from custom metrics API: ${(error as Error).message}`, {
          cause: error,
        });
    }
    if (served === undefined)
      throw new Error(
        'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
      );
    let path: string;
    try {
      path = await pathOf();
    } catch (error) {
      throw new Error(`unable to fetch metrics from custom metrics API: ${(error as Error).message}`, { cause: error });
    }
    return this.fetch<MetricValueList>('custom', `/apis/${CUSTOM_METRICS}/${served}/${path}`, CUSTOM_METRICS);
  }

  private async fetch<R>(api: string, path: string, what: string): Promise<R> {
    try {
      return await this.client.getPath<R>(path);
    } catch (error) {
      const isUnserved = error instanceof StatusError && error.code === 404 && UNSERVED.test(error.message);
      const text = isUnserved ? `${NOT_SERVED} (get ${what})` : (error as Error).message;
      throw new Error(`unable to fetch metrics from ${api} metrics API: ${text}`, { cause: error });
    }
  }
}

function query(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function milli(text: string): number {
  return Number(parseQuantity(text).milliValue());
}

/** Go's form of short durations, such as `15s` and `1m0.5s`. */
function durationMs(text: string | undefined): number {
  const [, hours, minutes, seconds] = /^(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s)?$/.exec(text ?? '') ?? [];
  return Number(hours ?? 0) * 3_600_000 + Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1000;
}

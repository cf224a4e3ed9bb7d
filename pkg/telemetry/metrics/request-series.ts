import type { ResourceRegistry } from '../../api/resource-registry.ts';
import type { RequestContext } from '../../server/request/request-context.ts';
import type { RequestInfo } from '../../server/request/request-info.ts';
import type { TimedFilter } from '../../server/filters/timed.ts';
import { exponentialBounds, HistogramSeries } from './histogram-series.ts';
import type { Labels } from './metric-family.ts';
import { isLongRunning, isReadOnly } from '../../server/request/request-kind.ts';
import { countedPath, KnownResources, requestScope, verbLabel, type EndpointLabels } from './request-labels.ts';
import { InFlightMaximum } from './in-flight.ts';

/** Bounds of a stock server, seconds and bytes. */
const sloBounds: readonly number[] = [
  0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const durationBounds: readonly number[] = [0.005, 0.025, ...sloBounds];
const filterBounds: readonly number[] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];
const sizeBounds: readonly number[] = exponentialBounds(1000, 10, 7);
/** 50 KB to the largest body that is read. */
const bodyBounds: readonly number[] = Array.from({ length: 31 }, (_, i) => 50_000 + 100_000 * i);

/** Statuses by which a server protects itself: too many requests, stopping or overloaded, took too long. */
const terminationStatuses: ReadonlySet<number> = new Set([429, 503, 504]);

/** A counter, with its labels. */
export interface CounterSeries {
  readonly labels: Labels;
  value: number;
}

/** Requests to one endpoint that share a `dry_run` label. */
class OutcomeSeries {
  readonly labels: Labels;
  readonly duration: HistogramSeries;
  /** By status, four places each: one per system client. */
  readonly counts = new Map<number, CounterSeries>();

  constructor(endpoint: EndpointLabels, dryRun: string) {
    this.labels = { ...endpoint, dry_run: dryRun };
    this.duration = new HistogramSeries(this.labels, durationBounds);
  }

  count(status: number, client: number): void {
    const key = status * systemClients.length + client;
    const series = this.counts.get(key);
    if (series !== undefined) series.value++;
    else
      this.counts.set(key, {
        labels: { ...this.labels, code: String(status), system_client: systemClients[client]! },
        value: 1,
      });
  }
}

/** The metrics of one endpoint: a verb on a resource in a scope. */
export class EndpointSeries {
  readonly labels: EndpointLabels;
  readonly removedRelease: string | undefined;
  readonly plain: OutcomeSeries;
  readonly dryRuns = new Map<string, OutcomeSeries>();
  readonly slo: HistogramSeries;
  /** Writes only; shared by all endpoints of the resource. */
  readonly bodies: HistogramSeries | undefined;
  /** Reads only. */
  readonly sizes: HistogramSeries | undefined;
  readonly terminations = new Map<number, CounterSeries>();
  longRunning = 0;

  constructor(labels: EndpointLabels, removedRelease: string | undefined, bodies: HistogramSeries | undefined) {
    this.labels = labels;
    this.bodies = bodies;
    this.removedRelease = removedRelease;
    this.plain = new OutcomeSeries(labels, '');
    this.slo = new HistogramSeries(labels, sloBounds);
    this.sizes = labels.verb === 'GET' || labels.verb === 'LIST' ? new HistogramSeries(labels, sizeBounds) : undefined;
  }

  outcome(dryRun: string): OutcomeSeries {
    if (dryRun === '') return this.plain;
    let found = this.dryRuns.get(dryRun);
    if (found === undefined) this.dryRuns.set(dryRun, (found = new OutcomeSeries(this.labels, dryRun)));
    return found;
  }

  outcomes(): OutcomeSeries[] {
    return [this.plain, ...this.dryRuns.values()];
  }

  terminated(status: number): void {
    const series = this.terminations.get(status);
    if (series !== undefined) series.value++;
    else this.terminations.set(status, { labels: { ...this.labels, code: String(status) }, value: 1 });
  }
}

/**
 * Counts and times requests. On the path of every one of them: an endpoint's numbers are found by one string and
 * changed in place, labels are made once. The number of endpoints is bounded by the scheme, see `KnownResources`.
 */
export class RequestSeries {
  /** Requests in flight that are not long-running. */
  readonly inFlight = { mutating: new InFlightMaximum(), readOnly: new InFlightMaximum() };
  readonly filters = {
    audit: filterSeries('audit'),
    authentication: filterSeries('authentication'),
    authorization: filterSeries('authorization'),
    impersonation: filterSeries('impersonation'),
  } as const satisfies Record<TimedFilter, HistogramSeries>;
  /** Failed TLS handshakes. */
  handshakesFailed = 0;
  readonly fieldValidation = new Map<string, HistogramSeries>();
  readonly bodySizes = new Map<string, HistogramSeries>();
  private readonly known: KnownResources;
  private readonly byKey = new Map<string, EndpointSeries>();

  constructor(registry: ResourceRegistry) {
    this.known = new KnownResources(registry);
  }

  get endpoints(): Iterable<EndpointSeries> {
    return this.byKey.values();
  }

  started(context: RequestContext): void {
    const { info } = context;
    if (isLongRunning(info)) this.endpointOf(context).longRunning++;
    else this.inFlight[isReadOnly(info) ? 'readOnly' : 'mutating'].entered(context.startMs);
  }

  finished(context: RequestContext, seconds: number): void {
    const { info, status } = context;
    const endpoint = this.endpointOf(context);
    if (isLongRunning(info)) endpoint.longRunning--;
    else this.inFlight[isReadOnly(info) ? 'readOnly' : 'mutating'].left(context.startMs + seconds * 1000);
    const outcome = endpoint.outcome(isReadOnly(info) ? '' : dryRunLabel(context));
    outcome.count(status, systemClientOf(context));
    outcome.duration.observe(seconds);
    endpoint.slo.observe(Math.max(0, seconds - context.webhookMs / 1000));
    endpoint.sizes?.observe(context.responseBytes);
    if (context.body.length > 0) endpoint.bodies?.observe(context.body.length);
    // An eviction that a disruption budget refuses is answered with 429 too, but is no overload.
    if (status > 428 && terminationStatuses.has(status) && info.subresource !== 'eviction') endpoint.terminated(status);
    if (info.verb === 'create' || info.verb === 'update' || info.verb === 'patch')
      this.observeFieldValidation(context, seconds);
  }

  private bodiesOf(info: RequestInfo, { group, resource }: EndpointLabels): HistogramSeries | undefined {
    const verb = bodyVerbs.get(info.verb);
    if (verb === undefined || resource === '') return undefined;
    const key = `${verb} ${group}/${resource}`;
    let series = this.bodySizes.get(key);
    if (series === undefined)
      this.bodySizes.set(key, (series = new HistogramSeries({ group, resource, verb }, bodyBounds)));
    return series;
  }

  private observeFieldValidation(context: RequestContext, seconds: number): void {
    const value = fieldValidationLabel(context);
    let series = this.fieldValidation.get(value);
    if (series === undefined)
      this.fieldValidation.set(
        value,
        (series = new HistogramSeries({ enabled: 'true', field_validation: value }, sloBounds)),
      );
    series.observe(seconds);
  }

  /** The request's endpoint; an unknown resource shares one endpoint per verb and never adds a key. */
  private endpointOf(context: RequestContext): EndpointSeries {
    const { info } = context;
    const verb = verbLabel(info, info.verb === 'patch' ? context.headers['content-type'] : undefined);
    const key = info.isResource
      ? `${verb} ${requestScope(info)} ${info.group}/${info.version}/${info.resource}/${info.subresource}`
      : `${verb} ${countedPath(info.path)}`;
    const found = this.byKey.get(key);
    // Decoded segments may contain slashes: equal keys do not mean equal parts.
    if (
      found !== undefined &&
      (!info.isResource || (found.labels.resource === info.resource && found.labels.subresource === info.subresource))
    )
      return found;
    return this.addEndpoint(info, verb);
  }

  private addEndpoint(info: RequestInfo, verb: string): EndpointSeries {
    const { labels, removedRelease } = this.known.labelsOf(info, verb);
    const { group, version, resource, subresource, scope } = labels;
    const key =
      resource === '' ? `${verb} ${subresource}` : `${verb} ${scope} ${group}/${version}/${resource}/${subresource}`;
    let endpoint = this.byKey.get(key);
    if (endpoint === undefined)
      this.byKey.set(key, (endpoint = new EndpointSeries(labels, removedRelease, this.bodiesOf(info, labels))));
    return endpoint;
  }
}

const bodyVerbs: ReadonlyMap<string, string> = new Map([
  ['create', 'create'],
  ['update', 'update'],
  ['patch', 'patch'],
  ['delete', 'delete'],
  ['deletecollection', 'delete_collection'],
]);

function filterSeries(filter: TimedFilter): HistogramSeries {
  return new HistogramSeries({ filter }, filterBounds);
}

/** The first is for all other clients. */
const systemClients: readonly string[] = ['', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** Index into `systemClients`, by the program in the user agent. */
function systemClientOf(context: RequestContext): number {
  const agent = context.headers['user-agent'];
  if (agent === undefined || !agent.startsWith('kube-')) return 0;
  const slash = agent.indexOf('/');
  return Math.max(0, systemClients.indexOf(slash < 0 ? agent : agent.slice(0, slash)));
}

function dryRunLabel(context: RequestContext): string {
  if (!context.hasQuery) return '';
  const values = context.query.getAll('dryRun');
  if (values.length === 0) return '';
  return values.every((v) => v === 'All') ? 'All' : 'invalid';
}

function fieldValidationLabel(context: RequestContext): string {
  const value = context.hasQuery ? (context.query.get('fieldValidation') ?? '') : '';
  return value === '' || value === 'Ignore' || value === 'Warn' || value === 'Strict' ? value : 'invalid';
}

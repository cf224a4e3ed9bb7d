import type { HistogramSeries } from './histogram-series.ts';
import type { MetricFamily, Sample } from './metric-family.ts';
import type { EndpointSeries, RequestSeries } from './request-series.ts';

/** The request metrics of a stock server, from a server's request numbers. */
export function requestFamilies(requests: RequestSeries): readonly MetricFamily[] {
  const each =
    <T>(pick: (endpoint: EndpointSeries) => Iterable<T>) =>
    (): T[] =>
      [...requests.endpoints].flatMap((e) => [...pick(e)]);
  const used = (series: HistogramSeries | undefined): HistogramSeries[] =>
    series === undefined || series.count === 0 ? [] : [series];
  return [
    {
      name: 'apiserver_request_total',
      type: 'counter',
      help: 'Requests answered, by status code and endpoint; code 0: the client left before the answer.',
      samples: each((e) => e.outcomes().flatMap((o) => [...o.counts.values()])),
    },
    {
      name: 'apiserver_request_duration_seconds',
      type: 'histogram',
      help: "Time from a request's arrival to the end of its answer, by endpoint.",
      series: each((e) => e.outcomes().flatMap((o) => used(o.duration))),
    },
    {
      name: 'apiserver_request_slo_duration_seconds',
      type: 'histogram',
      help: "Time from a request's arrival to the end of its answer, without that of webhooks.",
      series: each((e) => used(e.slo)),
    },
    {
      name: 'apiserver_request_sli_duration_seconds',
      type: 'histogram',
      help: 'The same under the name that it has since release 1.26.',
      series: each((e) => used(e.slo)),
    },
    {
      name: 'apiserver_request_body_size_bytes',
      type: 'histogram',
      help: 'Bytes of the bodies of writes, by resource.',
      series: () => requests.bodySizes.values(),
    },
    {
      name: 'apiserver_response_sizes',
      type: 'histogram',
      help: 'Bytes of the answers to reads, by endpoint.',
      series: each((e) => used(e.sizes)),
    },
    {
      name: 'apiserver_current_inflight_requests',
      type: 'gauge',
      help: 'The most requests in flight at once in the last second, long-running ones not counted.',
      samples: () => [
        { labels: { request_kind: 'mutating' }, value: requests.inFlight.mutating.mostLately(performance.now()) },
        { labels: { request_kind: 'readOnly' }, value: requests.inFlight.readOnly.mostLately(performance.now()) },
      ],
    },
    {
      name: 'apiserver_request_filter_duration_seconds',
      type: 'histogram',
      help: 'Time that filters take before they hand a request on.',
      series: () => Object.values(requests.filters),
    },
    {
      name: 'apiserver_tls_handshake_errors_total',
      type: 'counter',
      help: 'Connections that ended in their TLS handshake.',
      samples: () => [{ labels: {}, value: requests.handshakesFailed }],
    },
    {
      name: 'apiserver_longrunning_requests',
      type: 'gauge',
      help: 'Watches and streams that are open.',
      samples: each((e) =>
        e.labels.verb === 'WATCH' || e.longRunning > 0 ? [{ labels: e.labels, value: e.longRunning }] : [],
      ),
    },
    {
      name: 'apiserver_request_terminations_total',
      type: 'counter',
      help: 'Requests that the server refused or ended to protect itself.',
      samples: each((e) => e.terminations.values()),
    },
    {
      name: 'apiserver_requested_deprecated_apis',
      type: 'gauge',
      help: '1 for each deprecated version that was requested, with the release that removes it.',
      samples: () => deprecatedSamples(requests.endpoints),
    },
    {
      name: 'field_validation_request_duration_seconds',
      type: 'histogram',
      help: 'Time that writes took, by what they wanted done about unknown fields.',
      series: () => requests.fieldValidation.values(),
    },
  ];
}

/** Verbs and scopes of one resource count as one. */
function deprecatedSamples(endpoints: Iterable<EndpointSeries>): Sample[] {
  const samples = new Map<string, Sample>();
  for (const { labels, removedRelease } of endpoints) {
    if (removedRelease === undefined) continue;
    const { group, resource, subresource, version } = labels;
    samples.set(`${group}/${version}/${resource}/${subresource}`, {
      labels: { group, removed_release: removedRelease, resource, subresource, version },
      value: 1,
    });
  }
  return [...samples.values()];
}

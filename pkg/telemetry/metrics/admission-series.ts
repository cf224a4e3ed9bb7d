import type {
  AdmissionObserver,
  AdmissionRequest,
  AdmissionRound,
  Operation,
  StepObserver,
} from '../../admission/admission.ts';
import type { LevelVersion } from '../../admission/pod-security/level.ts';
import type { PodSecurityObserver } from '../../admission/pod-security/pod-security-observer.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { Labels, MetricFamily, Sample } from './metric-family.ts';
import { WebhookSeries } from './webhook-series.ts';

/** Number of releases 1.x with a separate label. */
const KNOWN_MINOR_MAX = 40;
const durationBounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5] as const;

/**
 * Times of admission, by plugin and in total, and decisions of pod security. Labels come from the tables of plugins and
 * resources, not from clients.
 */
export class AdmissionSeries extends WebhookSeries implements AdmissionObserver, PodSecurityObserver {
  private readonly plugins: HistogramSeries[] = [];
  private readonly rounds: HistogramSeries[] = [];
  private readonly evaluations = new Map<string, { readonly labels: Labels; value: number }>();
  private readonly exemptions = new Map<string, { readonly labels: Labels; value: number }>();

  ofPlugin(plugin: string, round: AdmissionRound): StepObserver {
    const seriesOf = byOutcome((operation, rejected) => {
      const series = new HistogramSeries({ name: plugin, operation, rejected, type: round }, durationBounds);
      this.plugins.push(series);
      return series;
    });
    return (operation, rejected, seconds) => seriesOf(operation, rejected).observe(seconds);
  }

  ofRound(round: AdmissionRound): StepObserver {
    const seriesOf = byOutcome((operation, rejected) => {
      const series = new HistogramSeries({ operation, rejected, type: round }, durationBounds);
      this.rounds.push(series);
      return series;
    });
    return (operation, rejected, seconds) => seriesOf(operation, rejected).observe(seconds);
  }

  podEvaluated(
    request: AdmissionRequest,
    mode: 'enforce' | 'audit' | 'warn',
    policy: LevelVersion,
    allowed: boolean,
  ): void {
    count(this.evaluations, {
      decision: allowed ? 'allow' : 'deny',
      mode,
      policy_level: policy.level,
      policy_version: versionLabel(policy),
      ...requestLabels(request),
    });
  }

  podExempted(request: AdmissionRequest): void {
    count(this.exemptions, requestLabels(request));
  }

  override families(): readonly MetricFamily[] {
    return [
      ...super.families(),
      {
        name: 'apiserver_admission_controller_admission_duration_seconds',
        type: 'histogram',
        help: 'Time that one admission plugin takes for one request.',
        series: () => this.plugins,
      },
      {
        name: 'apiserver_admission_step_admission_duration_seconds',
        type: 'histogram',
        help: 'Time that all admission plugins take for one request.',
        series: () => this.rounds,
      },
      {
        name: 'pod_security_evaluations_total',
        type: 'counter',
        help: 'Pods and templates of pods that were held to a level of security.',
        samples: () => this.evaluations.values() as Iterable<Sample>,
      },
      {
        name: 'pod_security_exemptions_total',
        type: 'counter',
        help: 'Pods and templates of pods that no level of security was asked of.',
        samples: () => this.exemptions.values() as Iterable<Sample>,
      },
    ];
  }
}

/** Series by operation and result, each made with its first value. */
function byOutcome<Series>(
  make: (operation: Operation, rejected: string) => Series,
): (operation: Operation, rejected: boolean) => Series {
  const passed: Partial<Record<Operation, Series>> = {};
  const refused: Partial<Record<Operation, Series>> = {};
  return (operation, rejected) => ((rejected ? refused : passed)[operation] ??= make(operation, String(rejected)));
}

function requestLabels({ operation, definition, subresource }: AdmissionRequest): Labels {
  return {
    request_operation: operation.toLowerCase(),
    resource: definition.group === '' && definition.resource === 'pods' ? 'pod' : 'controller',
    subresource,
  };
}

/** Releases come from labels of namespaces: those far ahead count as one. */
function versionLabel({ version }: LevelVersion): string {
  if (version === 'latest') return version;
  return version > KNOWN_MINOR_MAX ? 'future' : `v1.${version}`;
}

function count(counters: Map<string, { readonly labels: Labels; value: number }>, labels: Labels): void {
  const key = Object.values(labels).join(' ');
  const counter = counters.get(key);
  if (counter === undefined) counters.set(key, { labels, value: 1 });
  else counter.value++;
}

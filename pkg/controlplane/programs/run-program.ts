import { sleep, systemClock } from '../../apimachinery/clock.ts';
import { TIMER_MS_MAX } from '../../apimachinery/values/duration.ts';
import { CoreEventRecorder } from '../../client/events/core-event-recorder.ts';
import { LeaderElector } from '../../client/leader-election/leader-elector.ts';
import type { Leadership } from '../../client/leader-election/leading-client.ts';
import { newResourceLock } from '../../client/leader-election/new-resource-lock.ts';
import type { Logger } from '../../logging/logger.ts';
import { encodeProfile } from '../../server/profiling/encode-profile.ts';
import { ProfilingPages } from '../../server/profiling/profiling-pages.ts';
import type { HealthCheck } from '../../server/system/health.ts';
import { ClientMetrics } from '../../telemetry/client-metrics.ts';
import { logError } from '../environment.ts';
import { OpenParts } from '../open-parts.ts';
import { withTimeout } from '../with-timeout.ts';
import { ClusterTrust } from './cluster-trust.ts';
import { DelegatedAuthenticator } from './delegated-authenticator.ts';
import { delegatedAuthorizer } from './delegated-authorizer.ts';
import { ProgramClients } from './program-clients.ts';
import type { ElectionConfig, ProgramConfig } from './program-config.ts';
import { healthCheck, programPages } from './program-pages.ts';
import { ProgramPorts, type SecurePortParts } from './program-ports.ts';
import { openProgramTls } from './program-tls.ts';

/** What the work of a program has to do with the rest of it. */
export interface WorkContext {
  readonly clients: ProgramClients;
  readonly leadership: Leadership;
  readonly metrics: ClientMetrics;
  readonly onError: (error: unknown, where: string) => void;
}

/** The work, while it runs. */
export interface Work {
  /** By name, whether each part of it is well. */
  health(): ReadonlyMap<string, boolean>;
  /** Resolves when nothing runs any more. */
  stop(): Promise<void>;
}

export interface RunProgramOptions {
  readonly config: ProgramConfig;
  /** Of this program in events and at `/configz`, as stock programs are named. */
  readonly component: string;
  readonly configGroup: string;
  readonly logger: Logger;
  /** Begins the work, which goes on until it is stopped. */
  readonly begin: (context: WorkContext) => Work;
  readonly stopped: AbortSignal;
}

/** Beyond its lease a leader that could not renew is reported as broken. */
const LEASE_GRACE_MS = 20_000;

/**
 * Runs a program on an API server in another process: its ports, the election of one leader among several, and its
 * work. Resolves with its exit status: 0 when it was stopped, 1 when it leads no more.
 */
export async function runProgram(options: RunProgramOptions): Promise<number> {
  const { config, logger, stopped } = options;
  const parts = new OpenParts();
  const onError = (error: unknown, where: string): void => logError(logger, error, where);
  for (const { message } of config.notices) logger.warn(message);
  try {
    const metrics = new ClientMetrics(config.versions);
    const clients = new ProgramClients({
      connection: config.connection,
      observer: metrics.requestObserver,
      onWarning: (warning) => logger.warn('warning of the API server', { warning }),
    });
    parts.add(() => clients.close());
    const run = new ProgramRun(options, clients, metrics, onError);
    await openPorts(config, options, { run, clients, metrics, onError }, parts);
    return await run.untilOver(stopped);
  } finally {
    await withTimeout(parts.close());
  }
}

/** The election, and the work while it is won. */
class ProgramRun {
  private readonly options: RunProgramOptions;
  private readonly clients: ProgramClients;
  private readonly metrics: ClientMetrics;
  private readonly onError: (error: unknown, where: string) => void;
  private elector: LeaderElector | undefined;
  private work: Work | undefined;
  private lastLedMs = systemClock.steadyMs();

  constructor(
    options: RunProgramOptions,
    clients: ProgramClients,
    metrics: ClientMetrics,
    onError: (error: unknown, where: string) => void,
  ) {
    this.options = options;
    this.clients = clients;
    this.metrics = metrics;
    this.onError = onError;
  }

  checks(): readonly HealthCheck[] {
    const parts = [...(this.work?.health() ?? [])];
    return [
      ...(this.elector === undefined
        ? []
        : [healthCheck('leaderElection', () => this.leadsOrWaits(), 'failed election to renew leadership on lease')]),
      // A restart for one part would end all others.
      ...parts.map(([name, isWell]) => healthCheck(name, () => isWell, 'it does not work yet', ['healthz', 'readyz'])),
    ];
  }

  async untilOver(stopped: AbortSignal): Promise<number> {
    const { election } = this.options.config;
    if (election === undefined) {
      await this.lead({ isLeader: () => true }, stopped);
      return 0;
    }
    const { clients, metrics, onError } = this;
    const client = clients.open('leader-election', { encoding: 'json' });
    const recorder = new CoreEventRecorder({
      client,
      source: { component: this.options.component },
      clock: systemClock,
      onError: (error) => onError(error, 'events of the election'),
    });
    const { kind, namespace, name, ...periods } = election;
    const elector = new LeaderElector({
      ...periods,
      name,
      lock: newResourceLock(kind, client, { namespace, name }),
      releaseOnCancel: true,
      metrics: metrics.electionMetrics,
      recorder,
      onError: (error) => onError(error, 'leader election'),
      onStartedLeading: (signal) => {
        this.options.logger.info('leading', { identity: election.identity });
        return this.lead({ isLeader: () => elector.isLeader(), signal }, signal);
      },
      onStoppedLeading: () => this.options.logger.info('not leading', { identity: election.identity }),
      onNewLeader: (leader) => this.options.logger.info('the leader is', { leader }),
    });
    this.elector = elector;
    await elector.run(stopped);
    await withTimeout(recorder.stop());
    if (stopped.aborted) return 0;
    this.options.logger.error('leader election lost');
    return 1;
  }

  private async lead(leadership: Leadership, signal: AbortSignal): Promise<void> {
    const { clients, metrics, onError, options } = this;
    const work = options.begin({ clients, metrics, onError, leadership });
    this.work = work;
    await aborted(signal);
    await work.stop();
  }

  /** Also true of a candidate that waits. */
  private leadsOrWaits(): boolean {
    const { elector, work } = this;
    const nowMs = systemClock.steadyMs();
    if (work === undefined || elector?.isLeader() === true) this.lastLedMs = nowMs;
    return nowMs - this.lastLedMs < leaseMs(this.options.config.election) + LEASE_GRACE_MS;
  }
}

interface PortsContext {
  readonly run: ProgramRun;
  readonly clients: ProgramClients;
  readonly metrics: ClientMetrics;
  readonly onError: (error: unknown, where: string) => void;
}

async function openPorts(
  config: ProgramConfig,
  { configGroup, logger }: RunProgramOptions,
  { run, clients, metrics, onError }: PortsContext,
  parts: OpenParts,
): Promise<void> {
  const profiling =
    config.profiling === undefined
      ? undefined
      : new ProfilingPages({ ...config.profiling, encode: (profile) => Promise.resolve(encodeProfile(profile)) });
  await profiling?.start();
  parts.add(() => profiling?.stop());
  const secure =
    config.ports.securePort === 0 ? undefined : await openAccess(config, { clients, metrics, logger, onError }, parts);
  const pages = programPages({
    checks: () => run.checks(),
    metrics,
    configGroup,
    flags: config.flags,
    profiling,
    onError,
  });
  const ports = new ProgramPorts(config.ports, { pages, secure, logger, onError });
  parts.add(() => ports.close());
  await ports.listen();
}

/** How often it is looked whether authorities have changed. */
const REFRESH_MS = 60_000;

async function openAccess(
  { access, connection, ports, component }: ProgramConfig,
  {
    clients,
    metrics,
    logger,
    onError,
  }: Pick<PortsContext, 'clients' | 'metrics' | 'onError'> & { readonly logger: Logger },
  parts: OpenParts,
): Promise<SecurePortParts> {
  const reviews = { encoding: 'json' } as const;
  const authentication = access.authentication ?? connection.config;
  const client = clients.openWith(authentication, 'authentication', reviews);
  const trust = new ClusterTrust({ client, clock: systemClock, onError });
  const stopping = new AbortController();
  parts.add(() => stopping.abort());
  if (!access.skipsLookup) {
    try {
      await trust.readFirst();
    } catch (error) {
      if (!access.toleratesLookupFailure) throw error;
      onError(error, 'authorities of clients');
    }
    void trust.follow(stopping.signal);
  }
  const authenticator = new DelegatedAuthenticator({
    config: access,
    client,
    trust: () => trust.current,
    tokenCache: metrics.tokenCacheObserver,
    onError,
  });
  const tls = await openProgramTls(component, ports, () => authenticator.authorities, logger);
  parts.add(() => tls.stop());
  const refresh = setInterval(() => tls.refresh(), REFRESH_MS).unref();
  parts.add(() => clearInterval(refresh));
  const authorization = access.authorization ?? connection.config;
  const authorizer = delegatedAuthorizer({
    config: access,
    client: clients.openWith(authorization, 'authorization', reviews),
    onError,
  });
  return { tls: tls.tls, authenticator, authorizer };
}

function leaseMs(election: ElectionConfig | undefined): number {
  return election?.leaseDurationMs ?? 0;
}

async function aborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(systemClock, TIMER_MS_MAX, signal);
}

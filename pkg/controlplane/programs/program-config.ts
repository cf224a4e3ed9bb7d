import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { readAuthorities } from '../../authentication/client-certificate/authorities.ts';
import { readText } from '../../authentication/option-files.ts';
import type { ClusterConfig } from '../../client/cluster-config.ts';
import type { LockKind } from '../../client/leader-election/new-resource-lock.ts';
import { redactText } from '../../logging/redaction.ts';
import { FeatureGates } from '../../options/feature-gates.ts';
import { GatheredProblems } from '../../options/gathered-problems.ts';
import type { Component, Option, OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import type { ReadOptions } from '../../options/parse-options.ts';
import { startNotices, type StartNotice } from '../../options/start-notices.ts';
import type { ProgramVersions } from '../../telemetry/metrics/program-families.ts';
import { emulatedMinor, featureStates } from '../config/server-settings.ts';
import { readTlsConfig, type TlsConfig } from '../config/tls-config.ts';
import { readConfigOf, readConnection, type Connection } from './connection.ts';

/** Which of several programs works. */
export interface ElectionConfig {
  readonly identity: string;
  readonly kind: LockKind;
  readonly namespace: string;
  readonly name: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface PortsConfig {
  /** 0: none. */
  readonly securePort: number;
  readonly bindAddress: string;
  readonly streamsMax: number;
  /** The pair; `dir` is empty where one of our own is kept in memory. */
  readonly tls: TlsConfig;
  /** 0: none. */
  readonly insecurePort: number;
  readonly insecureAddress: string;
}

/** Who may read the secure port. */
export interface AccessConfig {
  /** Undefined: as the program itself. */
  readonly authentication: ClusterConfig | undefined;
  readonly authorization: ClusterConfig | undefined;
  readonly skipsLookup: boolean;
  readonly toleratesLookupFailure: boolean;
  readonly alwaysAllowedPaths: readonly string[];
  readonly clientCaFile: string;
  readonly requestHeader: {
    readonly caFile: string;
    readonly allowedNames: readonly string[];
    readonly usernameHeaders: readonly string[];
    readonly groupHeaders: readonly string[];
    readonly extraPrefixes: readonly string[];
  };
  readonly tokenTtlMs: number;
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
}

/** What a program needs that works on an API server in another process, whatever its work is. */
export interface ProgramConfig {
  readonly component: Component;
  readonly connection: Connection;
  /** Undefined: it works without a lock. */
  readonly election: ElectionConfig | undefined;
  readonly ports: PortsConfig;
  readonly access: AccessConfig;
  /** Absent: no profiles are served. */
  readonly profiling: { readonly contention: boolean } | undefined;
  /** What `/configz` shows: options by name, secrets taken out. */
  readonly flags: ReadonlyMap<string, string>;
  readonly notices: readonly StartNotice[];
  readonly verbosity: number;
  readonly versions: ProgramVersions;
}

/**
 * Makes the configuration of a program, and with `readWork` that of its work. Throws `OptionsError` with all that is
 * wrong.
 */
export function readProgramConfig<W>(
  rows: readonly Option[],
  { values: options, problems }: ReadOptions,
  readWork: (options: OptionValues) => W,
): { readonly program: ProgramConfig; readonly work: W } {
  const gathered = new GatheredProblems();
  gathered.attempt(() => {
    if (problems.length > 0) throw new OptionsError(problems);
  });
  const connection = gathered.attempt(() => readConnection(options));
  const election = gathered.attempt(() => readElection(options));
  const tls = gathered.attempt(() => readTlsConfig(options, ''));
  const access = gathered.attempt(() => readAccess(options));
  const work = gathered.attempt(() => readWork(options));
  gathered.throwIfAny();
  const program: ProgramConfig = {
    component: options.component,
    connection: connection!,
    election,
    ports: {
      securePort: options.int('secure-port'),
      bindAddress: options.string('bind-address'),
      streamsMax: options.int('http2-max-streams-per-connection'),
      tls: { ...tls!, dir: options.string('cert-dir') },
      insecurePort: options.int('port'),
      insecureAddress: options.string('address'),
    },
    access: access!,
    profiling: options.bool('profiling') ? { contention: options.bool('contention-profiling') } : undefined,
    flags: new Map(rows.map(({ name }) => [name, redactText(options.string(name))])),
    notices: startNotices(rows, options),
    verbosity: options.int('v'),
    versions: rows.some(({ name }) => name === 'feature-gates') ? versionsOf(options) : {},
  };
  return { program, work: work as W };
}

function versionsOf(options: OptionValues): ProgramVersions {
  const named = [...options.pairs('feature-gates')].map(([name, value]) => [name, value === 'true'] as const);
  return { emulatedMinor: emulatedMinor(options), features: featureStates(new FeatureGates(new Map(named))) };
}

/** Candidates wait up to so many retry periods more. */
const JITTER = 1.2;

function readElection(options: OptionValues): ElectionConfig | undefined {
  if (!options.bool('leader-elect')) return undefined;
  const [lease, deadline, retry] = [
    'leader-elect-lease-duration',
    'leader-elect-renew-deadline',
    'leader-elect-retry-period',
  ] as const;
  const ms = (option: string): number => options.durationMs(option);
  const problems = [
    ...(ms(lease) < 1000 ? [optionProblem(lease, options.string(lease), 'must be at least a second')] : []),
    ...(ms(lease) <= ms(deadline)
      ? [optionProblem(lease, options.string(lease), `must be longer than --${deadline}=${options.string(deadline)}`)]
      : []),
    ...(ms(deadline) <= ms(retry) * JITTER
      ? [
          optionProblem(
            deadline,
            options.string(deadline),
            `must be longer than ${JITTER} times --${retry}=${options.string(retry)}`,
          ),
        ]
      : []),
  ];
  if (problems.length > 0) throw new OptionsError(problems);
  return {
    identity: `${hostname()}_${randomUUID()}`,
    kind: options.string('leader-elect-resource-lock') as LockKind,
    namespace: options.string('leader-elect-resource-namespace'),
    name: options.string('leader-elect-resource-name'),
    leaseDurationMs: ms(lease),
    renewDeadlineMs: ms(deadline),
    retryPeriodMs: ms(retry),
  };
}

function readAccess(options: OptionValues): AccessConfig {
  const gathered = new GatheredProblems();
  const authentication = gathered.attempt(() => readConfigOf(options, 'authentication-clusterconfig'));
  const authorization = gathered.attempt(() => readConfigOf(options, 'authorization-clusterconfig'));
  for (const option of ['client-ca-file', 'requestheader-client-ca-file'])
    gathered.attempt(() => checkAuthorities(option, options.string(option)));
  gathered.throwIfAny();
  return {
    authentication,
    authorization,
    skipsLookup: options.bool('authentication-skip-lookup'),
    toleratesLookupFailure: options.bool('authentication-tolerate-lookup-failure'),
    alwaysAllowedPaths: options.list('authorization-always-allow-paths'),
    clientCaFile: options.string('client-ca-file'),
    requestHeader: {
      caFile: options.string('requestheader-client-ca-file'),
      allowedNames: options.list('requestheader-allowed-names'),
      usernameHeaders: options.list('requestheader-username-headers'),
      groupHeaders: options.list('requestheader-group-headers'),
      extraPrefixes: options.list('requestheader-extra-headers-prefix'),
    },
    tokenTtlMs: options.durationMs('authentication-token-webhook-cache-ttl'),
    allowedTtlMs: options.durationMs('authorization-webhook-cache-authorized-ttl'),
    deniedTtlMs: options.durationMs('authorization-webhook-cache-unauthorized-ttl'),
  };
}

function checkAuthorities(option: string, file: string): void {
  if (file === '') return;
  try {
    readAuthorities(readText(file));
  } catch (error) {
    throw new OptionsError([optionProblem(option, file, (error as Error).message)]);
  }
}

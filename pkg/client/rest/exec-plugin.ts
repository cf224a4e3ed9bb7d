import { execFile, type ExecFileException } from 'node:child_process';
import { certificateBlocks } from '../../apimachinery/certificate-blocks.ts';
import type { ClusterConfig } from '../cluster-config.ts';
import type { ExecSettings } from '../exec-settings.ts';
import { ConnectionError } from './client.ts';

/** What a plugin has answered. */
export interface ExecCredentials {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}

interface Cached {
  readonly credentials: ExecCredentials;
  /** Milliseconds since the epoch; absent: until the server rejects them. */
  readonly expiresMs?: number;
}

/** How long a plugin may run, and what it may write. */
const PLUGIN_TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 1 << 20;

/**
 * Runs a credential plugin (`client.authentication.k8s.io`) when there are no credentials or they have expired.
 * Requests that need them at the same time wait for one run.
 */
export class ExecPlugin {
  private readonly settings: ExecSettings;
  private readonly info: string;
  private readonly nowMs: () => number;
  private cached: Cached | undefined;
  private running: Promise<Cached> | undefined;

  constructor(settings: ExecSettings, cluster: ClusterConfig, nowMs: () => number = Date.now) {
    this.settings = settings;
    this.info = JSON.stringify(executionInfo(settings, cluster));
    this.nowMs = nowMs;
  }

  async credentials(): Promise<ExecCredentials> {
    const { cached } = this;
    if (cached !== undefined && (cached.expiresMs === undefined || this.nowMs() < cached.expiresMs)) {
      return cached.credentials;
    }
    this.running ??= this.run().finally(() => (this.running = undefined));
    this.cached = await this.running;
    return this.cached.credentials;
  }

  discard(): void {
    this.cached = undefined;
  }

  private run(): Promise<Cached> {
    const { command, args, env, installHint } = this.settings;
    return new Promise((resolve, reject) => {
      const options = {
        env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: this.info },
        timeout: PLUGIN_TIMEOUT_MS,
        maxBuffer: OUTPUT_BYTES_MAX,
      };
      const child = execFile(command, args, options, (error, stdout) => {
        // What it wrote may hold credentials, and is not repeated.
        if (error !== null) return reject(failedRun(command, error, installHint));
        try {
          resolve(readCredential(stdout, this.settings.apiVersion));
        } catch (problem) {
          reject(new ConnectionError(`the credential plugin ${command}: ${(problem as Error).message}`));
        }
      });
      child.stdin?.end();
    });
  }
}

function failedRun(command: string, error: ExecFileException, hint?: string): ConnectionError {
  if (error.code === 'ENOENT') {
    return new ConnectionError(
      `the credential plugin ${command} is not found${hint === undefined ? '' : `\n\n${hint}`}`,
    );
  }
  const how = error.killed === true ? 'timed out or wrote too much' : `failed with code ${error.code ?? 'unknown'}`;
  return new ConnectionError(`the credential plugin ${command} ${how}`);
}

/** The value of `KUBERNETES_EXEC_INFO`. Standard input is never handed over. */
function executionInfo(
  { apiVersion, provideClusterInfo, clusterExtension }: ExecSettings,
  cluster: ClusterConfig,
): object {
  const { server, serverName, insecureSkipTlsVerify, ca, proxy, disableCompression } = cluster;
  const described = {
    server: server.href.replace(/\/$/, ''),
    ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
    ...(insecureSkipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(proxy === undefined ? {} : { 'proxy-url': proxy.href }),
    ...(disableCompression === true ? { 'disable-compression': true } : {}),
    ...(clusterExtension === undefined ? {} : { config: clusterExtension }),
  };
  const spec = { interactive: false, ...(provideClusterInfo ? { cluster: described } : {}) };
  return { kind: 'ExecCredential', apiVersion, spec };
}

function readCredential(text: string, apiVersion: string): Cached {
  let answer: { kind?: unknown; apiVersion?: unknown; status?: Record<string, unknown> } | null;
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    // The parser's words quote the text, and with it a credential.
    throw new Error('its output is no JSON');
  }
  if (answer?.kind !== 'ExecCredential' || answer.apiVersion !== apiVersion) {
    throw new Error(`its output is no ExecCredential of ${apiVersion}`);
  }
  if (answer.status === undefined || answer.status === null) throw new Error('its output has no status');
  const field = (name: string): string | undefined => {
    const value = answer.status![name];
    if (value !== undefined && value !== null && typeof value !== 'string') throw new Error(`${name} is no string`);
    return (value ?? '') === '' ? undefined : (value as string);
  };
  const token = field('token');
  const certificate = field('clientCertificateData');
  const key = field('clientKeyData');
  const expires = field('expirationTimestamp');
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Error('clientCertificateData and clientKeyData must come together');
  }
  if (token === undefined && certificate === undefined) throw new Error('its output has neither token nor certificate');
  if (certificate !== undefined && certificateBlocks(certificate).length === 0) {
    throw new Error('clientCertificateData must hold PEM certificates');
  }
  const credentials = {
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined ? {} : { certificate, key: key! }),
  };
  if (expires === undefined) return { credentials };
  const expiresMs = Date.parse(expires);
  if (Number.isNaN(expiresMs)) throw new Error('expirationTimestamp is no time');
  return { credentials, expiresMs };
}

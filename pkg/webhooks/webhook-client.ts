/**
 * POSTs JSON to a service that decides or records something for this server: token and authorization webhooks,
 * admission, image policy, audit. Answers are bounded in time and size, redirects are refused (they would send the
 * credential elsewhere), connections are kept and reused. No error names a credential, the body, or the query of the
 * URL.
 */
import { readFile } from 'node:fs/promises';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { JsonError, parseJson, stringifyJson } from '../apimachinery/json/json.ts';
import { steadyMs } from '../apimachinery/steady-clock.ts';
import { answerBody } from '../net/answer-body.ts';
import type { ClientCredentials } from '../client/client-credentials.ts';
import type { ClusterConfig } from '../client/cluster-config.ts';
import type { DeprecatedCertificates } from './deprecated-certificates.ts';
import { hostRoots } from '../net/host-roots.ts';
import { retryDelayMs, type RetrySettings } from './retry-settings.ts';
import { WebhookError } from './webhook-error.ts';
import { exchange, networkFailure, networkProblem } from './webhook-exchange.ts';

export interface WebhookClientSettings {
  readonly config: ClusterConfig;
  /** Of the server that calls. */
  readonly certificates: DeprecatedCertificates;
  /** Bound of one attempt, from the first byte sent to the last one read. */
  readonly timeoutMs: number;
  /** Bound of an answer's body; 3 MiB when absent. */
  readonly answerBytesMax?: number;
  /** Connections at a time; 100 when absent. */
  readonly connectionsMax?: number;
  /** Retries of errors that are `retryable`. Absent: one attempt. */
  readonly retry?: RetrySettings;
  /**
   * Where to connect to instead of the URL's host and port, called for each attempt: a service's address. The
   * certificate is still checked against the URL's host, or `serverName`.
   */
  readonly address?: () => Promise<HostPort> | HostPort;
  /** For tests. Milliseconds. */
  readonly pause?: (delayMs: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export interface PostOptions {
  /** Ends the call, retries and pauses included. */
  readonly signal?: AbortSignal;
  /** Instead of the client's own. */
  readonly timeoutMs?: number;
  /** Appended to the URL: `timeout=10s`. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ANSWER_BYTES_MAX = 3 * 1024 * 1024;
const CONNECTIONS_MAX = 100;
const IDLE_CONNECTIONS_MAX = 16;
/** How long the content of a token file is used before it is read again. */
const TOKEN_FILE_MS = 60_000;

/** One service. `close` ends its idle connections. */
export class WebhookClient {
  /** The service without its query, for logs. */
  readonly name: string;
  private readonly settings: WebhookClientSettings;
  private readonly agent: http.Agent;
  private fileToken: { readonly value: string; readonly readMs: number } | undefined;

  constructor(settings: WebhookClientSettings) {
    const { server } = settings.config;
    this.settings = settings;
    this.name = `${server.origin}${server.pathname}`;
    this.agent = agentFor(settings);
  }

  /**
   * Sends a document and reads the answer. Throws `WebhookError`; rejects with the signal's reason when that is
   * aborted.
   */
  async call(document: unknown, options: PostOptions = {}): Promise<unknown> {
    const bytes = await this.post(stringifyJson(document), options);
    try {
      return parseJson(bytes);
    } catch (error) {
      if (error instanceof JsonError) throw new WebhookError(this.name, 'the answer is no JSON');
      throw error;
    }
  }

  /** The same with bytes on both sides; the answer may be empty. */
  async post(body: string | Uint8Array, options: PostOptions = {}): Promise<Uint8Array> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const { retry, pause = sleepUnlessEnded } = this.settings;
    for (let attempt = 1; ; attempt++) {
      options.signal?.throwIfAborted();
      try {
        return await this.attempt(bytes, options);
      } catch (error) {
        options.signal?.throwIfAborted();
        const retryable = error instanceof WebhookError && error.retryable;
        if (!retryable || retry === undefined || attempt >= retry.attempts) throw error;
        await pause(retryDelayMs(retry, attempt, error.retryAfterMs), options.signal);
      }
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private async attempt(bytes: Uint8Array, options: PostOptions): Promise<Uint8Array> {
    const ended = new AbortController();
    let timedOut = false;
    const end = (): void => ended.abort();
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, options.timeoutMs ?? this.settings.timeoutMs);
    options.signal?.addEventListener('abort', end);
    try {
      const request = await this.requestOptions(bytes, options, ended.signal);
      const answer = await exchange(request, bytes, IDLE_CONNECTIONS_MAX);
      return await this.bodyOf(answer);
    } catch (error) {
      if (timedOut) throw new WebhookError(this.name, 'timed out');
      if (error instanceof WebhookError) throw error;
      this.settings.certificates.countFailure(error);
      const network = networkFailure(error);
      throw new WebhookError(this.name, networkProblem(error), { retryable: network?.code === 'ECONNRESET', network });
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', end);
    }
  }

  private async requestOptions(bytes: Uint8Array, options: PostOptions, signal: AbortSignal): Promise<RequestOptions> {
    const { config, address } = this.settings;
    const { server } = config;
    const target = await address?.();
    const query = [server.search.slice(1), options.query ?? ''].filter((part) => part !== '').join('&');
    return {
      agent: this.agent,
      method: 'POST',
      signal,
      protocol: server.protocol,
      host: target?.host ?? server.hostname.replace(/^\[|\]$/g, ''),
      port: target?.port ?? (server.port || (server.protocol === 'https:' ? 443 : 80)),
      path: `${server.pathname}${query === '' ? '' : `?${query}`}`,
      headers: {
        host: server.host,
        accept: 'application/json, */*',
        'user-agent': 'binnacle',
        ...options.headers,
        ...(await this.authorization(config.credentials)),
        'content-type': 'application/json',
        'content-length': String(bytes.length),
      },
    };
  }

  private async authorization(credentials: ClientCredentials): Promise<Record<string, string>> {
    const { token, tokenFile, username, password } = credentials;
    const bearer = tokenFile === undefined ? token : await this.tokenOf(tokenFile);
    if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
    return username === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
  }

  private async tokenOf(file: string): Promise<string> {
    const now = steadyMs();
    if (this.fileToken === undefined || now - this.fileToken.readMs >= TOKEN_FILE_MS) {
      this.fileToken = { value: (await readFile(file, 'utf8')).trim(), readMs: now };
    }
    return this.fileToken.value;
  }

  private async bodyOf(answer: IncomingMessage): Promise<Uint8Array> {
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) {
      answer.destroy();
      const retryAfterMs = retryAfterOf(answer);
      const retryable = status === 429 || (status >= 500 && status !== 503) || retryAfterMs !== undefined;
      throw new WebhookError(this.name, `answered ${status}`, { status, retryable, retryAfterMs });
    }
    const bytesMax = this.settings.answerBytesMax ?? ANSWER_BYTES_MAX;
    const body = await answerBody(answer, bytesMax);
    if (body === undefined) throw new WebhookError(this.name, `the answer is larger than ${bytesMax} bytes`);
    return body;
  }
}

function agentFor({ config, certificates, connectionsMax = CONNECTIONS_MAX }: WebhookClientSettings): http.Agent {
  const { server, ca, insecureSkipTlsVerify, serverName, credentials } = config;
  const pool = { keepAlive: true, maxSockets: connectionsMax, maxFreeSockets: IDLE_CONNECTIONS_MAX };
  if (server.protocol === 'http:') return new http.Agent(pool);
  const host = server.hostname.replace(/^\[|\]$/g, '');
  return new https.Agent({
    ...pool,
    ca: ca ?? hostRoots(),
    cert: credentials.certificate,
    key: credentials.key,
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    checkServerIdentity: (name, certificate) => certificates.identityProblem(name, certificate),
    // An address is never sent as a server name; the certificate must then name the address.
    ...(serverName === undefined && isIP(host) !== 0 ? {} : { servername: serverName ?? host }),
  });
}

function retryAfterOf(answer: IncomingMessage): number | undefined {
  const seconds = Number(answer.headers['retry-after'] ?? '');
  return Number.isInteger(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

/** Rejects with the signal's reason when that is aborted. */
async function sleepUnlessEnded(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  // The only rejection is the abort, whose reason is thrown instead.
  await sleep(delayMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
}

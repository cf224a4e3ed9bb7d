import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { ClusterConfig } from '../cluster-config.ts';
import { discardAnswer } from './answer-bytes.ts';
import { CredentialSource, type ShownCredentials } from './credential-source.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { Http1Transport } from './http1-transport.ts';
import { Http2Transport } from './http2-transport.ts';
import { type HttpAnswer, type HttpRequest, type HttpTransport, StaleConnectionError } from './http-transport.ts';
import type { RequestObserver } from './request-observer.ts';
import type { Pause, RequestRate } from './request-rate.ts';

export interface SenderSettings {
  readonly config: ClusterConfig;
  readonly protocol: 'http/1.1' | 'h2';
  readonly userAgent: string;
  readonly rate?: RequestRate | undefined;
  readonly observer?: RequestObserver | undefined;
  readonly pause: Pause;
}

/** How often a request is sent that the server asks to send again later. */
const ATTEMPTS_MAX = 10;

/** Sends requests as one user to one server: at the rate that is allowed, with the credentials of the moment. */
export class RequestSender {
  private readonly settings: SenderSettings;
  private readonly credentials: CredentialSource;
  private readonly basePath: string;
  private transport: { certificate: string | undefined; to: HttpTransport } | undefined;

  constructor(settings: SenderSettings) {
    const { config } = settings;
    const { exec, token, tokenFile, certificate } = config.credentials;
    const needsPlugin =
      exec !== undefined && token === undefined && tokenFile === undefined && certificate === undefined;
    this.settings = settings;
    this.credentials = new CredentialSource(config.credentials, needsPlugin ? new ExecPlugin(exec, config) : undefined);
    this.basePath = config.server.pathname.replace(/\/$/, '');
  }

  /** The last answer, whatever its code. An answer of 429 that says when to come again is not the last one. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const { rate, pause } = this.settings;
    for (let attempt = 1; ; attempt++) {
      if (rate !== undefined) await rate.wait(request.signal);
      const answer = await this.observed(request);
      if (answer.status === 401) this.credentials.rejected();
      const delayMs = answer.status === 429 ? retryAfterMs(answer) : undefined;
      if (delayMs === undefined || attempt === ATTEMPTS_MAX) return answer;
      await discardAnswer(answer.body);
      await pause(delayMs, request.signal);
    }
  }

  close(): void {
    this.transport?.to.close();
  }

  private async observed(request: HttpRequest): Promise<HttpAnswer> {
    const { observer, config } = this.settings;
    if (observer === undefined) return this.attempt(request);
    const beganMs = steadyMs();
    let code = 0;
    try {
      const answer = await this.attempt(request);
      code = answer.status;
      return answer;
    } finally {
      observer.requestEnded(request.method, config.server.host, code, (steadyMs() - beganMs) / 1000);
    }
  }

  private async attempt(request: HttpRequest): Promise<HttpAnswer> {
    const shown = await this.credentials.current();
    request.signal.throwIfAborted();
    const headers = { 'user-agent': this.settings.userAgent, ...request.headers, ...shown.headers };
    const complete = { ...request, path: this.basePath + request.path, headers };
    try {
      return await this.transportFor(shown).send(complete);
    } catch (error) {
      // Most likely the server had closed the connection just before. Reading twice does no harm; writing may.
      if (!(error instanceof StaleConnectionError) || request.method !== 'GET') throw error;
      return this.transportFor(shown).send(complete);
    }
  }

  /** Connections show the client certificate: with another one they are made again. */
  private transportFor({ certificate, key }: ShownCredentials): HttpTransport {
    if (this.transport === undefined || this.transport.certificate !== certificate) {
      const { protocol, config } = this.settings;
      const endpoint = { ...config, ...(certificate === undefined ? {} : { certificate, key }) };
      this.transport?.to.close();
      const to = protocol === 'h2' ? new Http2Transport(endpoint) : new Http1Transport(endpoint);
      this.transport = { certificate, to };
    }
    return this.transport.to;
  }
}

function retryAfterMs({ headers }: HttpAnswer): number | undefined {
  const text = headers['retry-after'] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}

import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { ClusterConfig } from '../cluster-config.ts';
import { discardAnswer } from './answer-bytes.ts';
import { CredentialSource, type ShownCredentials } from './credential-source.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { Http1Transport } from './http1-transport.ts';
import { Http2Transport } from './http2-transport.ts';
import { type HttpAnswer, type HttpRequest, type HttpTransport, StaleConnectionError } from './http-transport.ts';
import { decompressed } from './decompress.ts';
import type { RequestObserver } from './request-observer.ts';
import type { Pause, RequestRate } from './request-rate.ts';
import { RotatingFile } from './rotating-file.ts';
import { type WarningHandler, warningTexts } from './warnings.ts';

export interface SenderSettings {
  readonly config: ClusterConfig;
  readonly protocol: 'http/1.1' | 'h2';
  readonly userAgent: string;
  readonly rate?: RequestRate | undefined;
  readonly observer?: RequestObserver | undefined;
  readonly onWarning: WarningHandler;
  readonly pause: Pause;
  /** For tests: the time that decides when files are read again. */
  readonly nowMs?: (() => number) | undefined;
}

/** How often a request is sent that the server asks to send again later. */
const ATTEMPTS_MAX = 10;

/** Sends requests as one user to one server: at the rate that is allowed, with the credentials of the moment. */
export class RequestSender {
  private readonly settings: SenderSettings;
  private readonly credentials: CredentialSource;
  private readonly basePath: string;
  private readonly commonHeaders: Readonly<Record<string, string>>;
  private readonly caFile: RotatingFile | undefined;
  private transport: { certificate: string | undefined; ca: string | undefined; to: HttpTransport } | undefined;

  constructor(settings: SenderSettings) {
    const { config, nowMs } = settings;
    const { exec, token, tokenFile, tokenSource, certificate } = config.credentials;
    const needsPlugin = exec !== undefined && (token ?? tokenFile ?? tokenSource ?? certificate) === undefined;
    this.settings = settings;
    const plugin = needsPlugin ? new ExecPlugin(exec, config) : undefined;
    this.credentials = new CredentialSource(config.credentials, plugin, nowMs);
    this.caFile = config.caFile === undefined ? undefined : new RotatingFile(config.caFile, config.ca, nowMs);
    this.basePath = config.server.pathname.replace(/\/$/, '');
    this.commonHeaders = {
      'user-agent': settings.userAgent,
      'accept-encoding': config.disableCompression === true ? 'identity' : 'gzip',
    };
  }

  /** The last answer, whatever its code. An answer of 429 that says when to come again is not the last one. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const { pause, observer, config } = this.settings;
    for (let attempt = 1; ; attempt++) {
      await this.waitForTurn(request);
      const answer = await this.observed(request);
      const delayMs = answer.status === 429 ? retryAfterMs(answer) : undefined;
      if (delayMs === undefined || attempt === ATTEMPTS_MAX) return answer;
      observer?.retried?.(request.method, config.server.host, answer.status);
      await discardAnswer(answer.body);
      await pause(delayMs, request.signal);
    }
  }

  close(): void {
    this.transport?.to.close();
  }

  private async waitForTurn({ method, signal }: HttpRequest): Promise<void> {
    const { rate, observer, config } = this.settings;
    if (rate === undefined) return;
    const beganMs = steadyMs();
    await rate.wait(signal);
    observer?.waited?.(method, config.server.host, (steadyMs() - beganMs) / 1000);
  }

  private async observed(request: HttpRequest): Promise<HttpAnswer> {
    const { observer, config } = this.settings;
    if (observer === undefined) return this.attempt(request);
    const beganMs = steadyMs();
    observer.sent?.(request.method, config.server.host, request.body?.length ?? 0);
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
    const ca = await this.caFile?.current();
    const headers = { ...this.commonHeaders, ...request.headers, ...shown.headers };
    const complete = { ...request, path: this.basePath + request.path, headers };
    const answer = await this.sendOnConnection(complete, shown, ca);
    if (answer.status === 401) this.credentials.rejected(shown);
    const { warning } = answer.headers;
    if (warning !== undefined) warningTexts(String(warning)).forEach(this.settings.onWarning);
    return decompressed(answer);
  }

  private async sendOnConnection(
    request: HttpRequest,
    shown: ShownCredentials,
    ca: string | undefined,
  ): Promise<HttpAnswer> {
    try {
      return await this.transportFor(shown, ca).send(request);
    } catch (error) {
      // Most likely the server had closed the connection just before. Reading twice does no harm; writing may.
      if (!(error instanceof StaleConnectionError) || request.method !== 'GET') throw error;
      return this.transportFor(shown, ca).send(request);
    }
  }

  /** Connections show the client certificate and trust the authority: with other ones they are made again. */
  private transportFor({ certificate, key }: ShownCredentials, ca: string | undefined): HttpTransport {
    const { transport } = this;
    if (transport === undefined || transport.certificate !== certificate || transport.ca !== ca) {
      const { protocol, config } = this.settings;
      const endpoint = {
        ...config,
        ...(ca === undefined ? {} : { ca }),
        ...(certificate === undefined ? {} : { certificate, key }),
      };
      this.transport?.to.close();
      const to = protocol === 'h2' ? new Http2Transport(endpoint) : new Http1Transport(endpoint);
      this.transport = { certificate, ca, to };
    }
    return this.transport!.to;
  }
}

function retryAfterMs({ headers }: HttpAnswer): number | undefined {
  const text = headers['retry-after'] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { RawRequest, RawResponse } from './request-context.ts';

/** A request on a connection. */
export class HttpExchange implements Exchange {
  readonly request: RawRequest;
  readonly response: RawResponse;

  constructor(request: RawRequest, response: RawResponse) {
    this.request = request;
    this.response = response;
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  get url(): string {
    return this.request.url ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get rawHeaders(): string[] {
    return this.request.rawHeaders;
  }

  /** An IPv4 address is one to a socket of IPv6, too. */
  get remoteAddress(): string | undefined {
    const address = this.request.socket?.remoteAddress;
    return address?.startsWith('::ffff:') === true && address.includes('.') ? address.slice('::ffff:'.length) : address;
  }

  get user(): undefined {
    return undefined;
  }

  get document(): undefined {
    return undefined;
  }

  get local(): undefined {
    return undefined;
  }

  get closed(): boolean {
    const { response } = this;
    return (
      response.destroyed || response.writableEnded || ('stream' in response && response.stream?.destroyed !== false)
    );
  }

  get begun(): boolean {
    return this.response.headersSent;
  }

  setHeader(name: string, value: string): void {
    this.response.setHeader(name, value);
  }

  destroy(): void {
    this.response.destroy();
  }

  onClose(listener: () => void): void {
    this.response.once('close', listener);
  }

  offClose(listener: () => void): void {
    this.response.off('close', listener);
  }
}

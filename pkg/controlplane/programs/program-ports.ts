import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Authorizer } from '../../authorization/authorizer.ts';
import type { RequestAuthenticator } from '../../authentication/authenticator.ts';
import type { Logger } from '../../logging/logger.ts';
import { chainHandlers } from '../../server/filter-chain.ts';
import { unauthorizedHandler } from '../../server/filters/audit.ts';
import { authenticate } from '../../server/filters/authenticate.ts';
import { authorize } from '../../server/filters/authorize.ts';
import { recover } from '../../server/filters/recover.ts';
import { HttpListener } from '../../server/http-listener.ts';
import { HEADER_BYTES_MAX } from '../../server/listener/listener-limits.ts';
import { HttpExchange } from '../../server/request/http-exchange.ts';
import type { Filter, Handler } from '../../server/request/request-context.ts';
import { RequestEntry } from '../../server/request-entry.ts';
import { ServingState } from '../../server/serving-state.ts';
import type { ListenerTls } from '../../server/tls/listener-tls.ts';
import type { PortsConfig } from './program-config.ts';

export interface SecurePortParts {
  readonly tls: ListenerTls;
  readonly authenticator: RequestAuthenticator;
  readonly authorizer: Authorizer;
}

export interface ProgramPortsParts {
  readonly pages: Handler;
  /** Undefined where the secure port is not open. */
  readonly secure: SecurePortParts | undefined;
  readonly logger: Logger;
  readonly onError: (error: unknown, where: string) => void;
}

/** Requests of the port without TLS that take longer are cut off. */
const REQUEST_MS = 60_000;

/** The two ports of a program: one for those whom the API server lets read it, one without TLS for everybody. */
export class ProgramPorts {
  private readonly config: PortsConfig;
  private readonly parts: ProgramPortsParts;
  private readonly closers: (() => Promise<void>)[] = [];

  constructor(config: PortsConfig, parts: ProgramPortsParts) {
    this.config = config;
    this.parts = parts;
  }

  /** Rejects where a port cannot be had. */
  async listen(): Promise<void> {
    const { secure, logger } = this.parts;
    const { securePort, bindAddress, insecurePort, insecureAddress } = this.config;
    if (secure !== undefined) {
      const port = await this.listenSecurely(secure, securePort, bindAddress);
      logger.info('serving securely', { address: bindAddress, port });
    }
    if (insecurePort > 0) {
      await this.listenInsecurely(insecurePort, insecureAddress);
      logger.info('serving insecurely', { address: insecureAddress, port: insecurePort });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.splice(0).map((close) => close()));
  }

  private async listenSecurely(
    { tls, authenticator, authorizer }: SecurePortParts,
    port: number,
    host: string,
  ): Promise<number> {
    const { logger, onError } = this.parts;
    const entry = this.entry([
      ['authenticate', authenticate(authenticator, logger, onError, unauthorizedHandler(undefined, undefined))],
      ['authorize', authorize(authorizer, { authorized: () => undefined })],
    ]);
    const listener = new HttpListener({
      tls,
      host,
      port,
      streamsMax: this.config.streamsMax,
      onHandshakeFailed: () => undefined,
      handle: (request, response, body) => entry.handle(new HttpExchange(request, response), body),
    });
    const listening = await listener.listen();
    this.closers.push(() => listener.close());
    return listening;
  }

  private async listenInsecurely(port: number, host: string): Promise<number> {
    const entry = this.entry([]);
    const server = createServer(
      { requestTimeout: REQUEST_MS, maxHeaderSize: HEADER_BYTES_MAX },
      (request, response) => {
        // No page reads a body.
        request.resume();
        void entry.handle(new HttpExchange(request, response), {});
      },
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, ...(host === '' ? {} : { host }) }, resolve);
    });
    this.closers.push(() => closed(server));
    return (server.address() as AddressInfo).port;
  }

  private entry(access: readonly (readonly [string, Filter])[]): RequestEntry {
    const { pages, onError } = this.parts;
    const state = new ServingState();
    state.serve();
    const handler = chainHandlers([['recover', recover(onError)], ...access], pages);
    return new RequestEntry({ handler, state, rates: undefined, onError });
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

import type { ConnectionRates } from './connections/connection-rates.ts';
import { auditIdOf } from './request/audit-id.ts';
import type { Exchange } from './request/exchange.ts';
import { OpenRequests } from './request/open-requests.ts';
import { RequestContext, type Handler, type RequestBody } from './request/request-context.ts';
import { parseRequestInfo } from './request/request-info.ts';
import { isLongRunning } from './request/request-kind.ts';
import { requestTarget } from './request/request-target.ts';
import type { ServingState } from './serving-state.ts';
import { isHealthPath } from './system/health.ts';

export interface RequestEntryParts {
  /** The filters and what stands behind them. */
  readonly handler: Handler;
  readonly state: ServingState;
  /** Absent where nothing is throttled. */
  readonly rates: ConnectionRates | undefined;
  readonly onError: (error: unknown, path: string) => void;
}

/**
 * Where requests come in, from connections and from programs of this process: reads method and path once, holds
 * requests back until the server serves, and counts those that are not over.
 */
export class RequestEntry {
  private readonly parts: RequestEntryParts;
  /** Short requests, and long-running ones. */
  private readonly inFlight = { short: new OpenRequests(), long: new OpenRequests() };

  constructor(parts: RequestEntryParts) {
    this.parts = parts;
  }

  /** Never rejects. */
  async handle(exchange: Exchange, body: RequestBody): Promise<void> {
    const { handler, state, rates, onError } = this.parts;
    const { path, query: text } = requestTarget(exchange.url);
    const query = text === '' ? '' : new URLSearchParams(text);
    const info = parseRequestInfo(exchange.method, path, watchRequested(query));
    const context = new RequestContext(exchange, info, query, body, auditIdOf(exchange), performance.now());
    if (rates !== undefined && exchange.local === undefined && isLongRunning(info))
      context.rate = rates.of(exchange.request);
    try {
      if (state.opening !== undefined && !isHealthPath(path)) await state.opening;
      await (isLongRunning(info) ? this.inFlight.long : this.inFlight.short).track(handler(context));
    } catch (error) {
      // The chain answers errors itself: this is one of its own.
      onError(error, path);
      exchange.destroy();
    }
  }

  /** Resolves when no request is left but those that end when their client likes. */
  shortOver(): Promise<void> {
    return this.inFlight.short.over();
  }

  /** Resolves when no request is left. */
  async over(): Promise<void> {
    await this.inFlight.short.over();
    await this.inFlight.long.over();
  }
}

/** The query asks for a watch: with every value but two, as stock servers read booleans. */
function watchRequested(query: URLSearchParams | ''): boolean {
  const value = query === '' ? null : query.get('watch');
  return value !== null && !/^(false|0)$/i.test(value);
}

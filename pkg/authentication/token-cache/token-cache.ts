import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import type { Authenticated, TokenAuthenticator } from '../authenticator.ts';
import { blinded } from '../constant-time.ts';

/** Called with the use of a cache of tokens, for metrics. */
export interface TokenCacheObserver {
  /** One lookup in the cache, and the seconds until its answer. */
  asked(result: 'hit' | 'miss', seconds: number): void;
  /**
   * The authenticator behind the cache begins (1) or ends (-1) to check a token; `blocked`: a request waits for another
   * one's check.
   */
  fetching(state: 'in_flight' | 'blocked', change: 1 | -1): void;
  fetched(result: 'ok' | 'error'): void;
}

export interface TokenCacheSettings {
  /** How long known and unknown tokens are cached, milliseconds. 0: not at all. */
  readonly knownMs: number;
  readonly unknownMs: number;
  readonly nowMs: () => number;
  readonly observer: TokenCacheObserver;
}

interface Entry {
  readonly known: Authenticated | undefined;
  readonly untilMs: number;
}

/** A client that sends random tokens must not be able to fill the memory. */
const ENTRIES_MAX = 4096;

/**
 * Caches an authenticator's answers, but not its failures. Requests with the same token at the same time share one
 * check.
 */
export function cachedTokens(authenticator: TokenAuthenticator, settings: TokenCacheSettings): TokenAuthenticator {
  const { nowMs, observer } = settings;
  const entries = new BoundedCache<Entry>(ENTRIES_MAX);
  const looking = new Map<string, Promise<Authenticated | undefined>>();

  async function look(key: string, token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
    observer.fetching('in_flight', 1);
    try {
      const known = await authenticator.authenticateToken(token, audiences);
      const forMs = known === undefined ? settings.unknownMs : settings.knownMs;
      if (forMs > 0) entries.set(key, { known, untilMs: nowMs() + forMs });
      observer.fetched('ok');
      return known;
    } catch (error) {
      observer.fetched('error');
      throw error;
    } finally {
      observer.fetching('in_flight', -1);
      looking.delete(key);
    }
  }

  async function waitFor(look: Promise<Authenticated | undefined>): Promise<Authenticated | undefined> {
    observer.fetching('blocked', 1);
    try {
      return await look;
    } finally {
      observer.fetching('blocked', -1);
    }
  }

  return {
    name: authenticator.name,
    async authenticateToken(token, audiences): Promise<Authenticated | undefined> {
      const begin = performance.now();
      const key = blinded(JSON.stringify([token, audiences]));
      const entry = entries.get(key);
      if (entry !== undefined && nowMs() < entry.untilMs) {
        observer.asked('hit', (performance.now() - begin) / 1000);
        return entry.known;
      }
      const inFlight = looking.get(key);
      const answer = inFlight === undefined ? look(key, token, audiences) : waitFor(inFlight);
      if (inFlight === undefined) looking.set(key, answer);
      try {
        return await answer;
      } finally {
        observer.asked('miss', (performance.now() - begin) / 1000);
      }
    },
  };
}

import { events } from '../../api/core/tokens.ts';
import { tooManyRequests } from '../../apimachinery/errors/status-error.ts';
import { TokenBucket } from '../../apimachinery/collections/token-bucket.ts';
import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import type { Event } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { handles, requestsOn, type RequestOn } from '../handles.ts';
import type { Limit, LimitType } from './configuration.ts';

/** How a limit groups events. */
const keys: Readonly<Record<LimitType, (request: RequestOn<Event, 'CREATE' | 'UPDATE'>) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject: ({ object }) => {
    const { source, involvedObject }: Partial<Event> = object;
    const { kind, namespace, name, uid, apiVersion } = involvedObject ?? {};
    return [source?.component, source?.host, kind, namespace, name, uid, apiVersion].join('');
  },
};

interface Enforcer extends Limit {
  readonly buckets: BoundedCache<TokenBucket>;
}

/** Refuses events above the limits. Every limit counts an event that another refuses. */
export function eventRateLimitPlugin(limits: readonly Limit[], nowMs: () => number): AdmissionPlugin {
  const enforcers = limits.map((limit): Enforcer => ({
    ...limit,
    buckets: new BoundedCache(limit.type === 'Server' ? 1 : limit.remembered),
  }));
  return {
    name: 'EventRateLimit',
    validate: handles(requestsOn(events, 'CREATE', 'UPDATE'), (request) => {
      if (request.dryRun) return;
      const reached = enforcers.flatMap((enforcer) => {
        const key = keys[enforcer.type](request);
        return taken(enforcer, key, nowMs) ? [] : [`limit reached on type ${enforcer.type} for key ${key}`];
      });
      if (reached.length > 0)
        throw tooManyRequests(`Too many requests: ${reached.length === 1 ? reached[0] : `[${reached.join(', ')}]`}`);
    }),
  };
}

function taken(enforcer: Enforcer, key: string, nowMs: () => number): boolean {
  let bucket = enforcer.buckets.get(key);
  if (bucket === undefined) enforcer.buckets.set(key, (bucket = new TokenBucket(enforcer, nowMs)));
  return bucket.take() === 0;
}

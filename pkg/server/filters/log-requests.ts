import type { Logger } from '../../logging/logger.ts';
import type { Filter, RequestContext } from '../request/request-context.ts';

/** `--v` from which on each request has a line. */
const requestLogVerbosity = 3;

const PATH_LENGTH_MAX = 1024;
const VALUE_LENGTH_MAX = 256;

/** Query parameters whose values are shown. Others may contain anything, tokens and commands among it. */
const shownParameters: ReadonlySet<string> = new Set([
  'allowWatchBookmarks',
  'dryRun',
  'exact',
  'export',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'includeObject',
  'labelSelector',
  'limit',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeout',
  'timeoutSeconds',
  'watch',
]);

/** Writes one line per finished request: user, request, response, and duration. For watches that is when they end. */
export function logRequests(logger: Logger): Filter {
  if (!logger.enabled(requestLogVerbosity)) return (next) => next;
  return (next) => async (context) => {
    try {
      await next(context);
    } finally {
      logger.info('request', lineOf(context, performance.now()));
    }
  };
}

function lineOf(context: RequestContext, nowMs: number): Record<string, unknown> {
  const { info } = context;
  return {
    verb: info.verb,
    path: info.path.slice(0, PATH_LENGTH_MAX),
    ...(context.hasQuery ? { query: shownQuery(context.query) } : {}),
    status: context.status,
    latencyMs: Math.round((nowMs - context.startMs) * 1000) / 1000,
    bytes: context.responseBytes,
    auditId: context.id,
    user: context.user.name,
    userAgent: context.headers['user-agent']?.slice(0, VALUE_LENGTH_MAX),
    source: context.remoteAddress,
  };
}

/** `limit=5&continue=…`: of unknown parameters not even the name is shown. */
function shownQuery(query: URLSearchParams): string {
  const shown: string[] = [];
  let hidden = 0;
  for (const [name, value] of query) {
    if (name === 'continue') shown.push('continue=…');
    else if (shownParameters.has(name)) shown.push(`${name}=${value.slice(0, VALUE_LENGTH_MAX)}`);
    else hidden++;
  }
  if (hidden > 0) shown.push(`(${hidden} more)`);
  return shown.join('&');
}

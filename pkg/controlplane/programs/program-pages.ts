import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import { respondBytes, respondText } from '../../server/answers/respond.ts';
import type { ProfilingPages } from '../../server/profiling/profiling-pages.ts';
import type { Handler, RequestContext } from '../../server/request/request-context.ts';
import { HealthChecks, HealthProblem, type HealthCheck } from '../../server/system/health.ts';
import type { OperatorPages } from '../../server/system/operator-pages.ts';
import { versionDocument, apiRelease } from '../../server/system/version.ts';
import type { ClientMetrics } from '../../telemetry/client-metrics.ts';

export interface ProgramPagesParts {
  /** Those of the moment; their number may grow. */
  readonly checks: () => readonly HealthCheck[];
  readonly metrics: Pick<ClientMetrics, 'text'>;
  /** Group under which `/configz` shows the options. */
  readonly configGroup: string;
  readonly flags: ReadonlyMap<string, string>;
  /** Absent: no profiles are served. */
  readonly profiling: OperatorPages | ProfilingPages | undefined;
  readonly onError: (error: unknown, where: string) => void;
}

/** What a program beside the API server answers: health, metrics, its options, profiles. */
export function programPages(parts: ProgramPagesParts): Handler {
  return async (context) => {
    const { path } = context.info;
    if (context.method !== 'GET' && context.method !== 'HEAD' && !path.startsWith('/debug/'))
      throw genericServerResponse(405);
    const profile = parts.profiling?.answer(context, { paths: [] });
    if (profile !== undefined) return profile;
    const health = await healthOf(parts).answer(path, context.query);
    if (health !== undefined) return respondText(context, health.status, health.text);
    await otherPage(context, path, parts);
  };
}

async function otherPage(context: RequestContext, path: string, parts: ProgramPagesParts): Promise<void> {
  switch (path) {
    case '/metrics': {
      const { contentType, body } = await parts.metrics.text();
      return respondBytes(context, 200, contentType, Buffer.from(body));
    }
    case '/configz':
      return respondJson(context, { [parts.configGroup]: Object.fromEntries(parts.flags) });
    case '/version':
      return respondJson(context, versionDocument(Number(apiRelease.minor)));
    default:
      return respondText(context, 404, '404 page not found\n');
  }
}

function respondJson(context: RequestContext, document: object): void {
  respondBytes(context, 200, 'application/json', Buffer.from(`${JSON.stringify(document, null, 2)}\n`));
}

function healthOf({ checks, onError }: ProgramPagesParts): HealthChecks {
  const health = new HealthChecks((name, error) => onError(error, `health check ${name}`));
  const all = checks();
  // A page without a check says that the program answers.
  for (const check of all.length > 0 ? all : [{ name: 'ping', check: () => undefined }]) health.add(check);
  return health;
}

/** A check that is well while `holds` says so. */
export function healthCheck(
  name: string,
  holds: () => boolean,
  reason: string,
  pages?: HealthCheck['pages'],
): HealthCheck {
  return {
    name,
    check: () => {
      if (!holds()) throw new HealthProblem(reason);
    },
    ...(pages === undefined ? {} : { pages }),
  };
}

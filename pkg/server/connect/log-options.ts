import { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, FieldPath } from '../../apimachinery/errors/field-path.ts';
import { badRequest, invalid } from '../../apimachinery/errors/status-error.ts';
import { formatTime, parseTime } from '../../apimachinery/values/time.ts';
import type { PodLogOptions } from '../../generated/types/core-v1.ts';
import { booleanParameter, integerParameter } from '../request/request-options.ts';

const BEGINNING = '0001-01-01T00:00:00Z';

/** The options of a request for a log; throws 400 for invalid ones. */
export function podLogOptions(query: URLSearchParams): PodLogOptions {
  const sinceTime = query.get('sinceTime');
  return {
    container: query.get('container') ?? '',
    follow: booleanParameter(query, 'follow'),
    previous: booleanParameter(query, 'previous'),
    timestamps: booleanParameter(query, 'timestamps'),
    insecureSkipTLSVerifyBackend: booleanParameter(query, 'insecureSkipTLSVerifyBackend'),
    sinceSeconds: integerParameter(query, 'sinceSeconds'),
    sinceTime: sinceTime === null ? undefined : canonicalTime(sinceTime),
    tailLines: integerParameter(query, 'tailLines'),
    limitBytes: integerParameter(query, 'limitBytes'),
  };
}

/** Throws 422, in the name of the pod. */
export function checkLogOptions({ tailLines, limitBytes, sinceSeconds, sinceTime }: PodLogOptions, name: string): void {
  const errors = new FieldErrors();
  if (tailLines !== undefined && tailLines < 0)
    errors.invalid(field('tailLines'), tailLines, 'must be greater than or equal to 0');
  if (limitBytes !== undefined && limitBytes < 1)
    errors.invalid(field('limitBytes'), limitBytes, 'must be greater than 0');
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.forbidden(FieldPath.root().key(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified');
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.invalid(field('sinceSeconds'), sinceSeconds, 'must be greater than 0');
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
}

/** The query for a node's agent; empty, or with its question mark. */
export function agentLogQuery(options: PodLogOptions): string {
  const query = new URLSearchParams();
  for (const name of [
    'follow',
    'limitBytes',
    'previous',
    'sinceSeconds',
    'sinceTime',
    'tailLines',
    'timestamps',
  ] as const) {
    const value = options[name];
    if (value !== undefined && value !== false) query.append(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** Old clients send `null`, or nothing, for the beginning of time. */
function canonicalTime(text: string): string {
  if (text === '' || text === 'null') return BEGINNING;
  try {
    return formatTime(parseTime(text));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

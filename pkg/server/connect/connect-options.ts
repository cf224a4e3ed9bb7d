import type {
  NodeProxyOptions,
  PodAttachOptions,
  PodExecOptions,
  PodPortForwardOptions,
  PodProxyOptions,
  ServiceProxyOptions,
} from '../../generated/types/core-v1.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { booleanParameter } from '../request/request-options.ts';

/** The options of a connection, as the API's documents have them: read from the query. */
export type ConnectOptions =
  PodExecOptions | PodAttachOptions | PodPortForwardOptions | PodProxyOptions | ServiceProxyOptions | NodeProxyOptions;

const V1 = 'v1';
const PORT_MAX = 65_535;

export function podExecOptions(query: URLSearchParams): PodExecOptions {
  return { kind: 'PodExecOptions', apiVersion: V1, ...streams(query), command: query.getAll('command') };
}

export function podAttachOptions(query: URLSearchParams): PodAttachOptions {
  return { kind: 'PodAttachOptions', apiVersion: V1, ...streams(query) };
}

/** Throws 400 for an invalid port, in Go's words. */
export function podPortForwardOptions(query: URLSearchParams): PodPortForwardOptions {
  const ports = query
    .getAll('ports')
    .flatMap((text) => text.split(','))
    .map((text) => {
      const isNumber = /^\d+$/.test(text);
      if (isNumber && Number(text) <= PORT_MAX) return Number(text);
      throw badRequest(
        `cannot convert to []int32: strconv.ParseUint: parsing ${goQuote(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`,
      );
    });
  return { kind: 'PodPortForwardOptions', apiVersion: V1, ...(ports.length === 0 ? {} : { ports }) };
}

/** The path behind `/proxy`, with the slash at its end, if any. */
export function proxyOptions(
  kind: 'PodProxyOptions' | 'ServiceProxyOptions' | 'NodeProxyOptions',
  { tail, path }: RequestInfo,
): PodProxyOptions {
  const segments = path.endsWith('/') ? [...tail, ''] : tail;
  return { kind, apiVersion: V1, ...(segments.length === 0 ? {} : { path: `/${segments.join('/')}` }) };
}

/** Streams that the client does not request are not opened: agents wait for each that is announced to them. */
function streams(query: URLSearchParams): Pick<PodExecOptions, 'stdin' | 'stdout' | 'stderr' | 'tty' | 'container'> {
  const container = query.get('container') ?? '';
  const on = (['stdin', 'stdout', 'stderr', 'tty'] as const).filter((name) => booleanParameter(query, name));
  return { ...Object.fromEntries(on.map((name) => [name, true])), ...(container === '' ? {} : { container }) };
}

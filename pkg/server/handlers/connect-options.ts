import type {
  NodeProxyOptions, PodAttachOptions, PodExecOptions, PodPortForwardOptions, PodProxyOptions, ServiceProxyOptions,
} from '../../generated/types/core-v1.ts';
import { badRequest } from '../../apimachinery/status-error.ts';
import { booleanParameter } from '../request-options.ts';

/** What a connection is asked to do, as the API's documents have it: read from the query, with its defaults. */
export type ConnectOptions = PodExecOptions | PodAttachOptions | PodPortForwardOptions | PodProxyOptions | ServiceProxyOptions | NodeProxyOptions;

const V1 = 'v1';

export function podExecOptions(query: URLSearchParams): PodExecOptions {
  return { kind: 'PodExecOptions', apiVersion: V1, ...streams(query), command: query.getAll('command') };
}

export function podAttachOptions(query: URLSearchParams): PodAttachOptions {
  return { kind: 'PodAttachOptions', apiVersion: V1, ...streams(query) };
}

/** Throws 400 for what is no port. */
export function podPortForwardOptions(query: URLSearchParams): PodPortForwardOptions {
  const ports = query.getAll('ports').flatMap((text) => text.split(',')).filter((text) => text !== '').map((text) => {
    if (!/^\d{1,5}$/.test(text)) throw badRequest(`unable to parse ${JSON.stringify(text)} as a port`);
    return Number(text);
  });
  return { kind: 'PodPortForwardOptions', apiVersion: V1, ...(ports.length === 0 ? {} : { ports }) };
}

/** `tail` are the segments behind `/proxy`. */
export function proxyOptions(kind: 'PodProxyOptions' | 'ServiceProxyOptions' | 'NodeProxyOptions', tail: readonly string[]): PodProxyOptions {
  return { kind, apiVersion: V1, ...(tail.length === 0 ? {} : { path: `/${tail.join('/')}` }) };
}

/** The server's defaults: output and errors are shown unless the client says no. */
function streams(query: URLSearchParams): Pick<PodExecOptions, 'stdin' | 'stdout' | 'stderr' | 'tty' | 'container'> {
  const container = query.get('container') ?? '';
  const isOn = (name: string, byDefault: boolean): boolean => (query.has(name) ? booleanParameter(query, name) : byDefault);
  const flags = { stdin: isOn('stdin', false), stdout: isOn('stdout', true), stderr: isOn('stderr', true), tty: isOn('tty', false) };
  return { ...Object.fromEntries(Object.entries(flags).filter(([, on]) => on)), ...(container === '' ? {} : { container }) };
}

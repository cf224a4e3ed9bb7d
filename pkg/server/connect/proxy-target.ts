import { badRequest } from '../../apimachinery/errors/status-error.ts';

/** The target in a proxy path: `name`, `name:port` or `scheme:name:port`. */
export interface ProxyTarget {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** Throws 400. `kind` is for the error: `pod`, `service`, `node`. */
export function proxyTarget(kind: string, id: string): ProxyTarget {
  const parts = id.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1] ?? ''];
  if (parts.length > 3 || !name || !['', 'http', 'https'].includes(scheme!))
    throw badRequest(`invalid ${kind} request ${JSON.stringify(id)}`);
  return { scheme: scheme!, name, port: port! };
}

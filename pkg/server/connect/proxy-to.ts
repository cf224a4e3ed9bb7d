import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import type { Backend } from '../connections/backend.ts';
import { proxiedPath } from '../connections/backend-path.ts';
import type { Connections } from '../connections/connections.ts';
import { forwardRequest } from '../connections/forward-request.ts';
import { forwardUpgrade } from '../connections/forward-upgrade.ts';
import { pendingUpgrade } from '../connections/pending-upgrade.ts';
import { placeRewriter } from '../connections/rewrite-location.ts';
import { rewritePage } from '../connections/rewrite-page.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requestTarget } from '../request/request-target.ts';
import { respondBytes } from '../answers/respond.ts';

/** Forwards a request to a proxy: the part of its path behind `/proxy` becomes the whole path. */
export async function proxyTo(context: RequestContext, connections: Connections, backend: Backend): Promise<void> {
  const { info, request } = context;
  const { prefix, tail } = proxiedPath(info);
  const sent = requestTarget(request.url).query;
  const query = sent === '' ? '' : `?${sent}`;
  const destination = { backend, path: `${tail || '/'}${query}` };
  const client = pendingUpgrade(request);
  if (client !== undefined) return forwardUpgrade(context, connections, client, destination);
  // Relative links of the page behind it work from there alone.
  if (tail === '' && (context.method === 'GET' || context.method === 'HEAD')) {
    return respondBytes(context, 301, 'text/plain; charset=utf-8', new Uint8Array(), {
      location: `${info.path}/${query}`,
    });
  }
  const place = { prefix, backend, sentHost: String(context.headers[':authority'] ?? context.headers.host ?? '') };
  await forwardRequest(context, connections, {
    destination,
    headers: { 'x-forwarded-uri': [`${prefix}${tail}`] },
    change:
      context.method === 'HEAD' ? placeRewriter(place) : (answer) => rewritePage(placeRewriter(place)(answer), place),
    failed: (reason) => serviceUnavailable(`error trying to reach service: ${reason}`),
  });
}

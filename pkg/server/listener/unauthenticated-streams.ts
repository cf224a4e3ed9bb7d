import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { RawRequest } from '../request/request-context.ts';
import { UNAUTHENTICATED_STREAMS_MAX } from './listener-limits.ts';

/** Sessions without an authenticated request, and their limit of streams after one. */
// Process-wide: an entry belongs to its session.
const unauthenticatedSessions = new WeakMap<object, number>();

/** Streams at a time of a connection in the beginning. */
export function unauthenticatedStreamsMax(streamsMax: number): number {
  return Math.min(streamsMax, UNAUTHENTICATED_STREAMS_MAX);
}

/** Limits connections to few streams until one of their requests is passed to `trustConnection`. */
export function limitUnauthenticatedSessions(server: Http2SecureServer, streamsMax: number): void {
  if (unauthenticatedStreamsMax(streamsMax) === streamsMax) return;
  server.on('session', (session: ServerHttp2Session) => unauthenticatedSessions.set(session, streamsMax));
}

/** The request is authenticated. Its connection may have as many streams as any. */
export function trustConnection(request: RawRequest): void {
  if (!('stream' in request)) return;
  const { session } = request.stream;
  if (session === undefined) return;
  const streamsMax = unauthenticatedSessions.get(session);
  if (streamsMax === undefined) return;
  unauthenticatedSessions.delete(session);
  if (!session.destroyed && !session.closed) session.settings({ maxConcurrentStreams: streamsMax });
}

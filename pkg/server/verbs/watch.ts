import { resourceExpired, type Status } from '../../apimachinery/errors/status-error.ts';
import { TIMER_MS_MAX } from '../../apimachinery/values/duration.ts';
import { watchObjects, watchScope, watchStart } from '../../registry/watch-objects.ts';
import { WatchExpiredError } from '../../storage/cacher/watch-session.ts';
import { FrameBatch, type Frame } from '../../storage/cacher/frame-batch.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';
import type { WatchSelection } from '../../storage/cacher/watch-group.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseListOptions, parseRevision, type ListOptions } from '../request/request-options.ts';
import { parseSelection } from '../request/selectors.ts';
import type { ResourceEndpoint, ServerParts } from '../resource-endpoint.ts';
import type { WatchPlace } from '../watches/user-watches.ts';
import type { OpenWatch } from '../watches/watch-sessions.ts';
import { webSocketHandshake } from '../websocket/handshake.ts';
import { negotiateForm, type Negotiated } from './answer-object.ts';
import { localWatchForm } from '../local/local-watch-form.ts';
import { openWatchStream } from './watch-stream.ts';

/**
 * GET with `watch`, and the deprecated `/watch/` paths: a stream of events until the timeout or the client ends it, or
 * a WebSocket.
 */
export async function handleWatch(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
): Promise<void> {
  const { form } = negotiateForm(context, served);
  const watchForm = context.exchange.local === undefined ? form : localWatchForm(served.target);
  const options = parseListOptions(context.query, true);
  const { selection, bytes } = watchSelection(context, served, options);
  const place = parts.watches.place(context.user.name, bytes);
  try {
    await runWatch(context, served, parts, { form: watchForm, options, selection, place });
  } finally {
    place.release();
  }
}

/** The frames of a watch. */
export interface WatchForm extends Pick<Negotiated['form'], 'item' | 'watchContentType'> {
  frame(type: WatchEventType, object: CachedObject): Frame;
  bookmark(revision: number, endOfInitialEvents: boolean): Frame;
  /** A Status as the last frame. */
  errorFrame(status: object): Frame;
}

interface AskedWatch {
  readonly form: WatchForm;
  readonly options: ListOptions;
  readonly selection: WatchSelection;
  readonly place: WatchPlace;
}

async function runWatch(
  context: RequestContext,
  served: ResourceEndpoint,
  parts: ServerParts,
  { form, options, selection, place }: AskedWatch,
): Promise<void> {
  const handshake = context.exchange.local === undefined ? webSocketHandshake(context) : undefined;
  const { resourceVersion } = options;
  const start = await watchStart(served.store, {
    revision: resourceVersion === '' ? undefined : parseRevision(resourceVersion),
    sendInitialEvents: options.sendInitialEvents,
    allowBookmarks: options.allowWatchBookmarks,
  });
  const status = handshake === undefined ? 200 : 101;
  await context.audit?.answering(status);
  // A client that is gone by now would never tell again.
  if (context.closed) return;
  context.status = status;
  const stream = openWatchStream(context, form.watchContentType, handshake);
  const { sink } = stream;
  const session = watchObjects(served.store, {
    selection,
    format: { representation: form.item, frame: (t, o) => form.frame(t, o), bookmark: (r, e) => form.bookmark(r, e) },
    start,
    sink,
    onWaiting: () => context.place?.leave(0),
  });
  const bookmark = (): void => {
    const revision = options.allowWatchBookmarks ? session.settledRevision : undefined;
    if (revision !== undefined) sink.write(new FrameBatch([form.bookmark(revision, false)]));
  };
  const watch: OpenWatch = {
    session,
    place,
    bookmark,
    end: () => sink.end(),
    endWith: (status) => {
      sink.write(new FrameBatch([form.errorFrame(status)]));
      sink.end();
    },
    get bufferedBytes() {
      return sink.bufferedBytes;
    },
  };
  // The last bookmark before the end saves the client from events it has seen.
  const timer = setTimeout(
    () => {
      bookmark();
      sink.end();
    },
    timeoutMs(options, parts),
  );
  parts.watches.add(watch);
  try {
    await session.run();
    context.place?.leave(0);
    await stream.closed;
  } catch (error) {
    if (!(error instanceof WatchExpiredError)) {
      stream.destroy();
      throw error;
    }
    sink.write(new FrameBatch([form.errorFrame(expiredStatus(error))]));
    sink.end();
  } finally {
    clearTimeout(timer);
    session.stop();
    parts.watches.remove(watch);
  }
}

/**
 * `timeoutSeconds`, or a random time from the minimum to twice it, so that clients do not all come back at once;
 * without a minimum as long as can be.
 */
function timeoutMs(options: ListOptions, parts: ServerParts): number {
  const minimum = parts.minRequestTimeoutSeconds;
  const seconds = options.timeoutSeconds > 0 ? options.timeoutSeconds : minimum + Math.random() * minimum;
  return seconds === 0 ? TIMER_MS_MAX : Math.min(seconds * 1000, TIMER_MS_MAX);
}

function watchSelection(
  context: RequestContext,
  served: ResourceEndpoint,
  options: ListOptions,
): { selection: WatchSelection; bytes: number } {
  const { store } = served;
  const { definition } = served.target;
  const { namespace, name } = context.info;
  const selection = parseSelection(definition, options.labelSelector, options.fieldSelector, name);
  const { bytes, text, matches, exact } = selection;
  const scope = watchScope(store, namespace, selection.name);
  return { bytes, selection: { scope, selectorKey: text, exact, ...(matches === undefined ? {} : { matches }) } };
}

/** 410 as a watch reports it: the client clears its cache and lists again. */
function expiredStatus(error: WatchExpiredError): Status {
  return resourceExpired(error.message).status;
}

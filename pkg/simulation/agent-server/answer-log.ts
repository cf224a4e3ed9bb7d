import type { ServerResponse } from 'node:http';
import type { Clock } from '../../apimachinery/clock.ts';

/** What a container has written. */
export interface ContainerLog {
  readonly lines: readonly LogLine[];
  /** Of its run before; undefined: there was none. */
  readonly previous: readonly LogLine[] | undefined;
  readonly isRunning: boolean;
}

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly line: string;
}

/** Who follows a log is shown new lines within this time. */
const FOLLOW_MS = 500;

export interface LogRequest {
  /** Options of a log as agents take them. */
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
  readonly clock: Clock;
}

/** `find`: the log as it is now. */
export function answerLog(find: () => ContainerLog | undefined, { query, response, clock }: LogRequest): void {
  const log = find();
  const lines = query.get('previous') === 'true' ? log?.previous : log?.lines;
  if (log === undefined || lines === undefined) {
    const text = log === undefined ? 'container not found\n' : 'previous terminated container not found\n';
    response.writeHead(log === undefined ? 404 : 400, { 'content-type': 'text/plain' }).end(text);
    return;
  }
  const withTimes = query.get('timestamps') === 'true';
  const textOf = (shown: readonly LogLine[]): string =>
    shown.map(({ atMs, line }) => `${withTimes ? `${new Date(atMs).toISOString()} ` : ''}${line}\n`).join('');
  response.writeHead(200, { 'content-type': 'text/plain' });
  const text = Buffer.from(textOf(selected(lines, query, clock.wallMs())));
  const limit = Number(query.get('limitBytes') ?? Infinity);
  response.write(text.subarray(0, limit));
  if (query.get('follow') !== 'true' || query.get('previous') === 'true') return void response.end();
  follow(lines, find, (more) => response.write(textOf(more)), { response, clock });
}

function selected(lines: readonly LogLine[], query: URLSearchParams, nowMs: number): readonly LogLine[] {
  const [seconds, time, tail] = ['sinceSeconds', 'sinceTime', 'tailLines'].map((name) => query.get(name));
  const sinceMs = seconds != null ? nowMs - Number(seconds) * 1000 : time != null ? Date.parse(time) : 0;
  const since = lines.filter(({ atMs }) => !(atMs < sinceMs));
  return tail == null ? since : since.slice(since.length - Math.min(since.length, Number(tail)));
}

/** Until the container ends or starts again, or the client goes. */
function follow(
  shown: readonly LogLine[],
  find: () => ContainerLog | undefined,
  show: (lines: readonly LogLine[]) => void,
  { response, clock }: Pick<LogRequest, 'response' | 'clock'>,
): void {
  let lastMs = shown.at(-1)?.atMs ?? -Infinity;
  let cancel = (): void => undefined;
  const look = (): void => {
    const log = find();
    const more = log?.lines.filter(({ atMs }) => atMs > lastMs) ?? [];
    if (more.length > 0) show(more);
    lastMs = more.at(-1)?.atMs ?? lastMs;
    if (log?.isRunning === true) cancel = clock.after(FOLLOW_MS, look);
    else response.end();
  };
  response.once('close', () => cancel());
  look();
}

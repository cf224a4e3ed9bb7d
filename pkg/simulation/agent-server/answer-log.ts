import type { ServerResponse } from 'node:http';
import type { Clock } from '../../apimachinery/clock.ts';

/** What a container has written. */
export interface ContainerLog {
  readonly lines: readonly LogLine[];
  /** Of its run before; undefined: there was none. */
  readonly previous: readonly LogLine[] | undefined;
  readonly isRunning: boolean;
}

/** Why there is none. */
export interface NoLog {
  readonly code: 400 | 404;
  readonly text: string;
}

export type FoundLog = (ContainerLog & { readonly noPrevious: string }) | NoLog;

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
export function answerLog(find: () => FoundLog, { query, response, clock }: LogRequest): void {
  const log = find();
  const refuse = ({ code, text }: NoLog): void =>
    void response.writeHead(code, { 'content-type': 'text/plain' }).end(`${text}\n`);
  if ('code' in log) return refuse(log);
  const lines = query.get('previous') === 'true' ? log.previous : log.lines;
  if (lines === undefined) return refuse({ code: 400, text: log.noPrevious });
  const withTimes = query.get('timestamps') === 'true';
  const textOf = (shown: readonly LogLine[]): string =>
    shown.map(({ atMs, line }) => `${withTimes ? `${nanoseconds(atMs)} ` : ''}${line}\n`).join('');
  response.writeHead(200, { 'content-type': 'text/plain' });
  const text = Buffer.from(textOf(selected(lines, query, clock.wallMs())));
  const limit = Number(query.get('limitBytes') ?? Infinity);
  response.write(text.subarray(0, limit));
  if (query.get('follow') !== 'true' || query.get('previous') === 'true') return void response.end();
  follow(lines, find, (more) => response.write(textOf(more)), { response, clock });
}

/** As agents write times: with nine digits behind the second. */
function nanoseconds(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000000Z');
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
  find: () => FoundLog,
  show: (lines: readonly LogLine[]) => void,
  { response, clock }: Pick<LogRequest, 'response' | 'clock'>,
): void {
  let lastMs = shown.at(-1)?.atMs ?? -Infinity;
  let cancel = (): void => undefined;
  const look = (): void => {
    const found = find();
    const log = 'code' in found ? undefined : found;
    const more = log?.lines.filter(({ atMs }) => atMs > lastMs) ?? [];
    if (more.length > 0) show(more);
    lastMs = more.at(-1)?.atMs ?? lastMs;
    if (log?.isRunning === true) cancel = clock.after(FOLLOW_MS, look);
    else response.end();
  };
  response.once('close', () => cancel());
  look();
}

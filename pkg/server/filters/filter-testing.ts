import type { UserInfo } from '../../api/resource-definition.ts';
import { HttpExchange } from '../request/http-exchange.ts';
import { RequestContext, type RawRequest, type RawResponse } from '../request/request-context.ts';
import { parseRequestInfo } from '../request/request-info.ts';

/** Answers go out when the turn of the event loop ends. */
export function sent(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** The answer of a filter under test; complete when it is `sent`. */
export interface RecordedAnswer {
  status: number;
  readonly headers: Record<string, string>;
  body: string;
}

/** A request as filters see it, and its result. */
export function requestOf(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  user?: UserInfo,
): { context: RequestContext; answer: RecordedAnswer } {
  const [path = '', query = ''] = url.split('?');
  const answer: RecordedAnswer = { status: 0, headers: {}, body: '' };
  const response = {
    destroyed: false,
    writableEnded: false,
    headersSent: false,
    getHeader: (name: string) => answer.headers[name],
    setHeader: (name: string, value: string) => void (answer.headers[name] = value),
    writeHead(status: number, more: Record<string, string>) {
      answer.status = status;
      Object.assign(answer.headers, more);
      response.headersSent = true;
    },
    end(body?: Uint8Array) {
      answer.body = Buffer.from(body ?? []).toString();
      response.writableEnded = true;
    },
  };
  const request = {
    method,
    url,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    socket: { remoteAddress: '127.0.0.1' },
  } as unknown as RawRequest;
  const info = parseRequestInfo(method, path, /(^|&)watch=/.test(query));
  const context = new RequestContext(
    new HttpExchange(request, response as unknown as RawResponse),
    info,
    query,
    {},
    '11-22',
    performance.now(),
  );
  if (user !== undefined) context.user = user;
  return { context, answer };
}

import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { JsonError, parseJson } from '../apimachinery/json/json.ts';
import { answerBody } from '../net/answer-body.ts';
import { hostRoots } from '../net/host-roots.ts';
import { WebhookError } from './webhook-error.ts';

export interface HttpsGetSettings {
  /** PEM of the authorities that may have signed the server's certificate; absent: those of the host. */
  readonly ca?: string;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

/** Requested media types, and the bearer token to send; absent for none. */
export interface HttpsQuestion {
  readonly accept: string;
  readonly bearerToken?: string;
}

/** Fetches a JSON document over HTTPS; redirects are not followed. Throws `WebhookError`. */
export async function getJson(url: URL, settings: HttpsGetSettings): Promise<unknown> {
  const body = await getBytes(url, { accept: 'application/json' }, settings);
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonError) throw new WebhookError(nameOf(url), 'the answer is no JSON');
    throw error;
  }
}

/**
 * Fetches a document unparsed over HTTPS; redirects are not followed, so that the token goes to no other server. Throws
 * `WebhookError`.
 */
export async function getBytes(
  url: URL,
  { accept, bearerToken }: HttpsQuestion,
  { ca, timeoutMs, answerBytesMax }: HttpsGetSettings,
): Promise<Buffer> {
  const name = nameOf(url);
  if (url.protocol !== 'https:') throw new WebhookError(name, 'the URL is not https');
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), timeoutMs);
  const headers = {
    accept,
    'user-agent': 'binnacle',
    ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
  };
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      https
        .get(url, { ca: ca ?? hostRoots(), agent: false, headers, signal: ended.signal }, resolve)
        .on('error', reject);
    });
    if (answer.statusCode !== 200) {
      answer.destroy();
      throw new WebhookError(name, `answered ${answer.statusCode}`, { status: answer.statusCode });
    }
    const body = await answerBody(answer, answerBytesMax);
    if (body === undefined) throw new WebhookError(name, `the answer is larger than ${answerBytesMax} bytes`);
    return body;
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    if (ended.signal.aborted) throw new WebhookError(name, 'timed out');
    throw new WebhookError(name, `the connection failed: ${(error as { code?: string }).code ?? 'unknown error'}`);
  } finally {
    clearTimeout(timer);
  }
}

/** Without the parts of a URL that may hold secrets. */
function nameOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

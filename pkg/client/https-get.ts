import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import { JsonError, parseJson } from '../apimachinery/json.ts';
import { answerBody } from './answer-body.ts';
import { hostRoots } from './host-roots.ts';
import { WebhookError } from './webhook-error.ts';

export interface HttpsGetSettings {
  /** PEM of the authorities that may have signed the server's certificate; absent: those of the host. */
  readonly ca?: string;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

/** Fetches a JSON document over HTTPS; redirects are not followed. Throws `WebhookError`. */
export async function getJson(url: URL, { ca, timeoutMs, answerBytesMax }: HttpsGetSettings): Promise<unknown> {
  const name = `${url.origin}${url.pathname}`;
  if (url.protocol !== 'https:') throw new WebhookError(name, 'the URL is not https');
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), timeoutMs);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      https.get(url, { ca: ca ?? hostRoots(), agent: false, headers: { accept: 'application/json', 'user-agent': 'binnacle' }, signal: ended.signal }, resolve).on('error', reject);
    });
    if (answer.statusCode !== 200) {
      answer.destroy();
      throw new WebhookError(name, `answered ${answer.statusCode}`, { status: answer.statusCode });
    }
    const body = await answerBody(answer, answerBytesMax);
    if (body === undefined) throw new WebhookError(name, `the answer is larger than ${answerBytesMax} bytes`);
    return parseJson(body);
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    if (ended.signal.aborted) throw new WebhookError(name, 'timed out', { retryable: true });
    if (error instanceof JsonError) throw new WebhookError(name, 'the answer is no JSON');
    throw new WebhookError(name, `the connection failed: ${(error as { code?: string }).code ?? 'unknown error'}`, { retryable: true });
  } finally {
    clearTimeout(timer);
  }
}

import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondText } from './respond.ts';

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** 500 as plain text, in which filters refuse requests that they cannot let through. */
export function respondInternalError(context: RequestContext, problem: string): void {
  const text = `Internal Server Error: ${goQuote(context.exchange.url)}: ${problem}`;
  respondText(context, 500, `${text.replace(/[&<>]/g, (char) => HTML[char]!)}\n`);
}

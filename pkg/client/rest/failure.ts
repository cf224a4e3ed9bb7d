import {
  failureStatus,
  genericServerResponse,
  type Status,
  StatusError,
} from '../../apimachinery/errors/status-error.ts';
import type { BodyCodec } from './body-codec.ts';
import { ConnectionError } from './client.ts';

/** Longest text of an answer that is no Status, as a message repeats it. */
const TEXT_CHARACTERS_MAX = 500;

/**
 * The error of an answer that is no success; `codec` is undefined for what is no object, such as the page of a proxy.
 */
export function failureOf(code: number, body: Buffer, codec: BodyCodec | undefined): StatusError {
  const status = codec === undefined ? undefined : statusOf(body, codec);
  if (status !== undefined) return new StatusError({ ...status, code: status.code ?? code });
  const text = body.toString('utf8', 0, TEXT_CHARACTERS_MAX).trim();
  return code >= 400 ? genericServerResponse(code, text) : new StatusError(failureStatus(code, '', text));
}

function statusOf(body: Buffer, codec: BodyCodec): Status | undefined {
  try {
    const status = codec.decode<Status>(body);
    return status.kind === 'Status' ? status : undefined;
  } catch {
    // Something between client and server has answered; its code says enough.
    return undefined;
  }
}

/** What a call rejects with: errors of the runtime become `ConnectionError`s, whose cause they are. */
export function asCallError(error: unknown, method: string, path: string): unknown {
  if (error instanceof StatusError || error instanceof ConnectionError || error instanceof TypeError) return error;
  const { code, message, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  const place = path.includes('?') ? path.slice(0, path.indexOf('?')) : path;
  return new ConnectionError(`${method} ${place}: ${code ?? cause?.code ?? message}`, { cause: error });
}

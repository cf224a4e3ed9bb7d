/**
 * Continue tokens of chunked lists: the list's revision and the key at which the next chunk begins, in the encoding of
 * a stock server, so that either server continues a list of the other. Tokens come back from clients, so nothing in
 * them is trusted: the key stays below the list's own prefix.
 */
import { parseJson } from '../json/json.ts';
import { badRequest } from '../errors/status-error.ts';
import { goQuote } from '../values/go-format.ts';

const VERSION = 'meta.k8s.io/v1';

/** Where the next chunk begins. */
export interface ContinuePosition {
  /** The revision of the whole list; -1 for a token that lets the server take the newest. */
  revision: number;
  /** The first key that may be in the chunk. */
  startKey: string;
}

/** The first key that may follow `lastKey`. */
export function keyAfter(lastKey: string): string {
  return `${lastKey}\0`;
}

/**
 * The token for the chunk that begins at `startKey`, a key below `prefix`: the list's own, which ends in a slash and,
 * for a list of one namespace, with that.
 */
export function encodeContinue({ revision, startKey }: ContinuePosition, prefix: string): string {
  if (!startKey.startsWith(prefix))
    throw new Error(`unable to encode next field: the key and key prefix do not match ${prefix} ${startKey}`);
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: startKey.slice(prefix.length) })).toString(
    'base64url',
  );
}

/** Reads a token from a client. Throws StatusError (400) with the words of Kubernetes. */
export function decodeContinue(token: string, prefix: string): ContinuePosition {
  const fields = parseFields(decodeBase64(token));
  if (fields.version !== VERSION)
    throw invalid(`continue key is not valid: server does not recognize this encoded version ${fields.version}`);
  if (fields.revision === 0)
    throw invalid(`continue key is not valid: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (fields.start === '') throw invalid(`continue key is not valid: encoded start key empty (version ${VERSION})`);
  const path = fields.start.startsWith('/') ? fields.start : `/${fields.start}`;
  if (!isClean(path)) throw invalid(`continue key is not valid: ${fields.start}`);
  return { revision: fields.revision, startKey: prefix + path.slice(1) };
}

function invalid(message: string): Error {
  return badRequest(`invalid continue token: ${message}`);
}

function decodeBase64(token: string): Buffer {
  const text = token.replace(/[\r\n]/g, '');
  const wrong = /[^A-Za-z0-9_-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : -1);
  if (wrong >= 0) throw invalid(`continue key is not valid: illegal base64 data at input byte ${wrong}`);
  return Buffer.from(text, 'base64url');
}

interface TokenFields {
  version: string;
  revision: number;
  start: string;
}

function parseFields(bytes: Buffer): TokenFields {
  const first = bytes[0] ?? 0x7b;
  // Go names the single byte here, also when it begins no valid UTF-8.
  if (first >= 0x80) {
    throw invalid(
      `continue key is not valid: invalid character '${goQuote(String.fromCharCode(first)).slice(1, -1)}' looking for beginning of value`,
    );
  }
  let value: unknown;
  try {
    value = parseJson(bytes.toString('utf8'), { depthMax: 8 });
  } catch (error) {
    throw invalid(`continue key is not valid: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(
      'continue key is not valid: json: cannot unmarshal value into Go value of type storage.continueToken',
    );
  }
  const { v = '', rv = 0, start = '' } = value as { v?: unknown; rv?: unknown; start?: unknown };
  if (typeof v !== 'string' || typeof start !== 'string' || !Number.isSafeInteger(rv)) {
    throw invalid(
      'continue key is not valid: json: cannot unmarshal value into Go struct field of storage.continueToken',
    );
  }
  return { version: v, revision: rv as number, start };
}

/** Whether the path has no empty, `.` or `..` segment and no slash at its end. */
function isClean(path: string): boolean {
  return (
    path !== '/' &&
    path
      .split('/')
      .slice(1)
      .every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}

import { pipeline, type Readable } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { HtmlLinks } from './html-links.ts';
import { rewriteLocation, type ProxiedPlace } from './rewrite-location.ts';
import type { ForwardedAnswer } from './send-answer.ts';

/** Limit of a decompressed page: a small one may expand to a very large one. */
const UNPACKED_BYTES_MAX = 16 * 1024 * 1024;
/** Statuses of answers without a page, or with a part of one. */
const withoutPage: ReadonlySet<number> = new Set([204, 205, 206, 304]);
/** Ready parts are flushed at once: pages may come slowly. */
const zipped = { flush: constants.Z_SYNC_FLUSH };

/**
 * Makes the links of an HTML page to its own server lead through the proxy. Redirects, other content, parts of pages,
 * and encodings other than gzip stay unchanged.
 */
export function rewritePage(answer: ForwardedAnswer, place: ProxiedPlace): ForwardedAnswer {
  const {
    status,
    headers: { 'content-length': length, ...headers },
    body,
  } = answer;
  const encoding = headers['content-encoding']?.join() ?? '';
  if (
    !isPage(headers['content-type']) ||
    withoutPage.has(status) ||
    headers['location'] !== undefined ||
    length?.[0] === '0' ||
    !['', 'gzip'].includes(encoding)
  )
    return answer;
  const inPage = {
    ...place,
    prefix: place.prefix.replaceAll(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`),
  };
  const links = new HtmlLinks({
    rewrite: (reference) => rewriteLocation(reference, inPage),
    bytesMax: encoding === '' ? Infinity : UNPACKED_BYTES_MAX,
  });
  return {
    ...answer,
    headers,
    body: encoding === '' ? joined(body, links) : joined(body, createGunzip(zipped), links, createGzip(zipped)),
  };
}

function isPage(types: readonly string[] = []): boolean {
  return types[0]?.split(';', 1)[0]!.trim().toLowerCase() === 'text/html';
}

/** The end of a chain of streams; when one breaks all do. */
function joined(first: Readable, ...others: readonly NodeJS.ReadWriteStream[]): Readable {
  // The reader of the last one sees the error.
  pipeline([first, ...others], () => undefined);
  return others.at(-1) as unknown as Readable;
}

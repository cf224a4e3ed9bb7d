import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { acceptsGzip } from '../documents/accept-header.ts';
import {
  answerBytes,
  contentHash,
  redirect,
  type DocumentAnswer,
  type DocumentRequest,
} from '../documents/document-answer.ts';
import { isPageFile, loadPageFiles, pageFileTypes, type PageFileName } from './page-files.ts';

const PAGE = '/apidoc/';
/**
 * Relative, so that they hold behind a proxy that puts a prefix in front. `/swagger-ui/` is the page's path in stock
 * servers.
 */
const redirects: ReadonlyMap<string, string> = new Map([
  ['/apidoc', 'apidoc/'],
  ['/swagger-ui', 'apidoc/'],
  ['/swagger-ui/', '../apidoc/'],
]);

interface PageFile {
  readonly packed: Uint8Array;
  readonly etag: string;
}

const unpack = promisify(gunzip);

/**
 * The page for browsing the API (`--enable-apidoc-ui`): a fixed set of files, the same for every client. The page
 * itself requests its data like any client.
 */
export class ApiPage {
  private readonly files = new Map<PageFileName, Promise<PageFile>>();

  /** Undefined where the path, as it was sent, is none of the page's. */
  answer(request: DocumentRequest): Promise<DocumentAnswer> | undefined {
    const { path } = request;
    const location = redirects.get(path);
    if (location !== undefined) return Promise.resolve(redirect(location));
    if (!path.startsWith(PAGE)) return undefined;
    const name = path.slice(PAGE.length) || 'index.html';
    return isPageFile(name) ? this.write(request, name) : undefined;
  }

  private async write({ acceptEncoding, ifNoneMatch }: DocumentRequest, name: PageFileName): Promise<DocumentAnswer> {
    const { packed, etag } = await this.file(name);
    const zipped = acceptsGzip(acceptEncoding);
    const headers = {
      ...pageHeaders,
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      ...(zipped ? { 'content-encoding': 'gzip' } : {}),
    };
    return answerBytes(zipped ? packed : await unpack(packed), pageFileTypes[name], {
      etag,
      headers,
      ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
    });
  }

  private file(name: PageFileName): Promise<PageFile> {
    let file = this.files.get(name);
    if (file === undefined) {
      file = loadPageFiles().then((files) => {
        const packed = Buffer.from(files[name], 'base64');
        return { packed, etag: `"${contentHash(packed)}"` };
      });
      this.files.set(name, file);
    }
    return file;
  }
}

/**
 * Headers of every file of the API page. Scripts and styles come from this server alone and are never inline, data goes
 * nowhere else, and the page must not be framed: the content of an OpenAPI document cannot steal the token that a user
 * typed in.
 */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

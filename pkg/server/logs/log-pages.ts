import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import type { OperatorPages } from '../system/operator-pages.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondBytes, respondText } from '../answers/respond.ts';
import { byteRange, type ByteRange } from './byte-range.ts';
import { directoryPage } from './directory-page.ts';
import { openInside, type OpenEntry } from './open-inside.ts';
import { sendFile } from './send-file.ts';

const ROOT = '/logs';
/** Keeps browsers from reading a log file as a page of this server. */
const asText = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" };
/** Errors of the system for a path without a file. */
const notThere: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ENAMETOOLONG',
  'ELOOP',
  'EINVAL',
  'ENXIO',
  'ENODEV',
]);
const notAllowed: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM']);

/** `/logs/`: the files below a directory, read-only; links out of it, devices and pipes are not there. */
export class LogPages implements OperatorPages {
  readonly listed = [ROOT];
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  answer(context: RequestContext): Promise<void> | undefined {
    const { path } = context.info;
    return path === ROOT || path.startsWith(`${ROOT}/`) ? this.page(context, path.slice(ROOT.length)) : undefined;
  }

  private async page(context: RequestContext, rest: string): Promise<void> {
    if (context.method !== 'GET' && context.method !== 'HEAD') throw genericServerResponse(405);
    const segments = namesIn(rest);
    if (segments === undefined) return notFound(context);
    let entry: OpenEntry | undefined;
    try {
      entry = await openInside(this.directory, segments);
      if (entry === undefined) return notFound(context);
      await this.show(context, entry, rest.endsWith('/'));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (notThere.has(code)) return notFound(context);
      if (notAllowed.has(code)) return respondText(context, 403, '403 Forbidden\n');
      throw error;
    } finally {
      await entry?.handle.close();
    }
  }

  /** The links of a directory's page are relative to its path with a slash at the end. */
  private async show(context: RequestContext, entry: OpenEntry, slash: boolean): Promise<void> {
    if (!entry.stats.isDirectory()) return slash ? notFound(context) : showFile(context, entry);
    if (!slash)
      return respondBytes(context, 301, 'text/html; charset=utf-8', new Uint8Array(), {
        location: `${context.info.path}/`,
      });
    respondBytes(context, 200, 'text/html; charset=utf-8', Buffer.from(await directoryPage(entry.way)), asText);
  }
}

async function showFile(context: RequestContext, { handle, stats }: OpenEntry): Promise<void> {
  const { size } = stats;
  const range = byteRange(context.headers.range, size);
  const headers = { ...asText, 'accept-ranges': 'bytes', 'last-modified': stats.mtime.toUTCString() };
  if (range === 'unsatisfiable')
    return respondBytes(context, 416, 'text/plain; charset=utf-8', Buffer.from('there is no such part\n'), {
      ...asText,
      'content-range': `bytes */${size}`,
    });
  const part: ByteRange = range ?? { first: 0, last: size - 1 };
  const partial: Record<string, string> =
    range === undefined ? {} : { 'content-range': `bytes ${part.first}-${part.last}/${size}` };
  await sendFile(context, handle, part, range === undefined ? 200 : 206, 'text/plain; charset=utf-8', {
    ...headers,
    ...partial,
  });
}

/** The names of a path; undefined where one is `.`, `..` or no name after it is decoded. */
function namesIn(path: string): string[] | undefined {
  const names = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent);
  return names.some((name) => name === '.' || name === '..' || /[/\0]/.test(name)) ? undefined : names;
}

function notFound(context: RequestContext): void {
  respondText(context, 404, '404 page not found\n');
}

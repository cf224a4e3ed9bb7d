import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { notAcceptable } from '../../apimachinery/errors/status-error.ts';
import { accepts, acceptsGzip, parseAccept } from '../documents/accept-header.ts';
import {
  answerBytes,
  contentHashOfLarge,
  type DocumentAnswer,
  type DocumentRequest,
  redirect,
} from '../documents/document-answer.ts';
import type { ServedResource } from '../documents/served-resources.ts';
import type { OpenApiBuild } from './build.ts';
import { v3DocumentNames } from './document-names.ts';
import { V2Document } from './v2-document.ts';
import type { V2Build, V2Parts } from './v2-parts.ts';

export interface OpenApiOptions {
  readonly resources: readonly ServedResource[];
  /** Title and version that documents state. */
  readonly info: { readonly title: string; readonly version: string };
  /** Run builds on threads, where they delay no requests. */
  build(build: OpenApiBuild): Promise<Uint8Array>;
  buildV2(build: V2Build): Promise<V2Parts>;
  /** Milliseconds since the epoch. */
  now?(): number;
}

type Format = OpenApiBuild['format'];

/** Encoded bytes with their tag; `packed` is the gzip form, made when first wanted. */
interface Stored {
  readonly body: Uint8Array;
  readonly etag: string;
  packed?: Promise<Uint8Array>;
}

interface Representation {
  readonly accepted: string;
  readonly answered: string;
  readonly format: Format;
}

const compress = promisify(gzip);
const yearMs = 365 * 24 * 3600 * 1000;
/** Smaller bodies do not shrink enough to be worth it. */
const gzipBytesMin = 1024;

/** The name with `@` is what clients ask for; it is no valid media type, so that the answer carries the other. */
function representations(version: 'v2' | 'v3'): readonly Representation[] {
  const protobuf = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
  return [
    { accepted: 'application/json', answered: 'application/json', format: 'json' },
    { accepted: protobuf, answered: protobuf, format: 'protobuf' },
    { accepted: protobuf.replace('.v1.0', '@v1.0'), answered: protobuf, format: 'protobuf' },
  ];
}

const byVersion = { v2: representations('v2'), v3: representations('v3') };
const v3Prefix = '/openapi/v3/';

/**
 * Answers `/openapi/v2`, `/openapi/v3` and the documents of v3. Each is built when first asked for, and then kept as
 * bytes.
 */
export class OpenApiDocuments {
  private readonly options: OpenApiOptions;
  private resources: readonly ServedResource[];
  private modified: number;
  private readonly v2: Readonly<Record<Format, V2Document>>;
  private readonly stored = new Map<string, Promise<Stored>>();
  private readonly hashes = new Map<string, Promise<string>>();

  constructor(options: OpenApiOptions) {
    this.options = options;
    this.resources = options.resources;
    this.modified = this.now();
    const v2 = (format: Format): V2Document =>
      new V2Document({ info: options.info, format, build: (build) => options.buildV2(build) });
    this.v2 = { json: v2('json'), protobuf: v2('protobuf') };
  }

  /**
   * From now on documents are about these. Those of v3 about groups in which nothing has changed stay, and so do their
   * hashes; of that of v2 the changed groups are built again.
   */
  update(resources: readonly ServedResource[], changed: ReadonlySet<string>): void {
    this.resources = resources;
    this.modified = this.now();
    for (const document of Object.values(this.v2)) document.change(changed);
    const isStale = (name: string): boolean => {
      const [root, group = ''] = name.split('/');
      return root === 'index' || root === 'v2' || changed.has(root === 'apis' ? group : '');
    };
    for (const key of this.stored.keys()) if (isStale(key.slice(key.indexOf(' ') + 1))) this.stored.delete(key);
    for (const name of this.hashes.keys()) if (isStale(name)) this.hashes.delete(name);
  }

  /**
   * Undefined for paths without a document. Throws a StatusError, 406, when `accept` takes none of the representations.
   */
  async answer(request: DocumentRequest): Promise<DocumentAnswer | undefined> {
    const { path } = request;
    if (path === '/openapi/v2') return this.write(request, 'v2', this.negotiate(request.accept, byVersion.v2));
    if (path === '/openapi/v3' || path === v3Prefix) return this.writeIndex(request);
    if (!path.startsWith(v3Prefix)) return undefined;
    const name = path.slice(v3Prefix.length);
    if (!v3DocumentNames(this.resources).includes(name)) return undefined;
    const representation = this.negotiate(request.accept, byVersion.v3);
    if (request.hash === undefined || request.hash === '') return this.write(request, name, representation);
    const hash = await this.hashOf(name);
    if (request.hash !== hash) return redirect(urlOf(name, hash));
    return this.write(request, name, representation, {
      'cache-control': 'public, immutable',
      expires: new Date(this.now() + yearMs).toUTCString(),
    });
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }

  private negotiate(accept: string | undefined, offered: readonly Representation[]): Representation {
    for (const range of parseAccept(accept)) {
      const found = offered.find((r) => accepts(range, r.accepted));
      if (found !== undefined) return found;
    }
    throw notAcceptable(`only the following media types are accepted: ${offered.map((r) => r.accepted).join(', ')}`);
  }

  private async write(
    request: DocumentRequest,
    name: string,
    representation: Representation,
    headers: Record<string, string> = {},
  ): Promise<DocumentAnswer> {
    return this.writeStored(
      request,
      await this.document(name, representation.format),
      representation.answered,
      headers,
    );
  }

  /** Names every document of v3 with a URL that changes when the document does. */
  private async writeIndex(request: DocumentRequest): Promise<DocumentAnswer> {
    const stored = await this.remember('index', async () => {
      const paths: [string, { serverRelativeURL: string }][] = [];
      // One after the other: only a thread or two are there for all.
      for (const name of v3DocumentNames(this.resources))
        paths.push([name, { serverRelativeURL: urlOf(name, await this.hashOf(name)) }]);
      return Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) }));
    });
    return this.writeStored(request, stored, 'application/json', {});
  }

  private async writeStored(
    request: DocumentRequest,
    stored: Stored,
    contentType: string,
    headers: Record<string, string>,
  ): Promise<DocumentAnswer> {
    const all: Record<string, string> = {
      'cache-control': 'no-cache, private',
      'last-modified': new Date(this.modified).toUTCString(),
      vary: 'Accept, Accept-Encoding',
      ...headers,
    };
    let { body } = stored;
    if (body.length >= gzipBytesMin && acceptsGzip(request.acceptEncoding)) {
      stored.packed ??= compress(body);
      body = await stored.packed;
      all['content-encoding'] = 'gzip';
    }
    return answerBytes(body, contentType, {
      etag: stored.etag,
      ...(request.ifNoneMatch === undefined ? {} : { ifNoneMatch: request.ifNoneMatch }),
      headers: all,
    });
  }

  /** `v2`, or the name of a document of v3. */
  private document(name: string, format: Format): Promise<Stored> {
    return this.remember(`${format} ${name}`, () => this.build(name, format));
  }

  /**
   * Of the JSON form, which identifies all. The index needs the hash of every document, but few are requested: bytes
   * are not kept.
   */
  private hashOf(name: string): Promise<string> {
    const known = this.hashes.get(name);
    if (known !== undefined) return known;
    return keep(this.hashes, name, this.build(name, 'json').then(contentHashOfLarge));
  }

  private remember(key: string, build: () => Promise<Uint8Array>): Promise<Stored> {
    const known = this.stored.get(key);
    if (known !== undefined) return known;
    return keep(
      this.stored,
      key,
      build().then(async (body) => ({ body, etag: `"${await contentHashOfLarge(body)}"` })),
    );
  }

  private build(name: string, format: Format): Promise<Uint8Array> {
    if (name === 'v2') return this.v2[format].bytes(() => this.resources);
    return this.options.build({ resources: this.resources, info: this.options.info, format, v3Document: name });
  }
}

function urlOf(name: string, hash: string): string {
  return `${v3Prefix}${name}?hash=${hash}`;
}

/** Concurrent requests wait for the same build; a failed one is retried by the next. */
function keep<T>(map: Map<string, Promise<T>>, key: string, made: Promise<T>): Promise<T> {
  map.set(key, made);
  // Callers that await `made` get the error. A change may have put another in its place.
  made.catch(() => map.get(key) === made && map.delete(key));
  return made;
}

import { notAcceptable } from '../../apimachinery/errors/status-error.ts';

/** Serializations that the server writes and reads. */
export type MediaType = 'json' | 'yaml' | 'protobuf';

const mediaTypes = new Map<string, MediaType>([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
]);

/** Transformation of an object for the client. */
export interface Transform {
  readonly as: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
}

export interface Accepted {
  readonly media: MediaType;
  readonly pretty: boolean;
  readonly transform?: Transform;
}

/** The forms in which a request can be answered. */
export interface Offer {
  readonly protobuf: boolean;
  /**
   * `all`: also as a Table; `metadata`: as PartialObjectMetadata, for kinds without a table; `none`: as itself alone.
   */
  readonly transforms: 'all' | 'metadata' | 'none';
}

interface Clause {
  type: string;
  quality: number;
  params: Map<string, string>;
}

const jsonPlain: Accepted = { media: 'json', pretty: false };
// Process-wide: what a header accepts depends on it and on the offer alone.
const memo = new Map<string, Accepted>();

/** Longest Accept header that is parsed. */
const HEADER_CHARS_MAX = 4096;

/**
 * Picks the first acceptable clause of an Accept header, by quality, named types before wildcards; throws 406 when
 * there is none.
 */
export function negotiate(accept: string | undefined, offer: Offer): Accepted {
  if (accept === undefined || accept === '' || accept === '*/*') return jsonPlain;
  const key = `${offer.protobuf ? 'p' : ''}${offer.transforms};${accept}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  if (accept.length > HEADER_CHARS_MAX) throw notAcceptableError();
  const accepted = choose(accept, offer);
  if (memo.size >= 1000) memo.clear();
  memo.set(key, accepted);
  return accepted;
}

function choose(accept: string, offer: Offer): Accepted {
  const all = accept.split(',').map(parseClause);
  const clauses = all.filter((c) => c.quality > 0);
  clauses.sort((a, b) => b.quality - a.quality || Number(a.type === '*/*') - Number(b.type === '*/*'));
  for (const clause of clauses) {
    const accepted = accept1(clause, offer);
    if (accepted !== undefined) return accepted;
  }
  throw all.some(({ type }) => type === '*/*' || mediaTypes.has(type)) ? unknownParameters() : notAcceptableError();
}

/** In the words of the router of stock servers, which compares bare media types. */
function notAcceptableError(): Error {
  return notAcceptable('406: Not Acceptable', {});
}

/** In the words of their handlers, which read the parameters of the media type. */
function unknownParameters(): Error {
  return notAcceptable(`only the following media types are accepted: ${[...mediaTypes.keys()].join(', ')}`);
}

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((s) => s.trim());
  const params = new Map<string, string>();
  for (const param of rest) {
    const eq = param.indexOf('=');
    if (eq > 0) params.set(param.slice(0, eq).toLowerCase(), param.slice(eq + 1).replace(/^"|"$/g, ''));
  }
  const quality = Number(params.get('q') ?? '1');
  return { type: type.toLowerCase(), quality: Number.isFinite(quality) ? quality : 0, params };
}

function accept1(clause: Clause, offer: Offer): Accepted | undefined {
  const media = clause.type === '*/*' ? 'json' : mediaTypes.get(clause.type);
  if (media === undefined || (media === 'protobuf' && !offer.protobuf && !clause.params.has('as'))) return undefined;
  const pretty = clause.params.get('pretty') === '1' || clause.params.get('pretty') === 'true';
  const as = clause.params.get('as');
  if (as === undefined || as === '') return { media, pretty };
  if (offer.transforms === 'none' || clause.params.get('g') !== 'meta.k8s.io') return undefined;
  const version = clause.params.get('v');
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
  if (as === 'Table' && (media === 'protobuf' || offer.transforms !== 'all')) return undefined;
  return { media, pretty, transform: { as, version } };
}

/** The serialization of a request body; undefined for unsupported media types. */
export function bodyMediaType(contentType: string | undefined): MediaType | undefined {
  if (contentType === undefined || contentType === '') return 'json';
  const semicolon = contentType.indexOf(';');
  return mediaTypes.get((semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase());
}

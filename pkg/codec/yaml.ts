import { isUtf8 } from 'node:buffer';
import {
  boolYaml11Tag,
  CORE_SCHEMA,
  defineScalarTag,
  dump,
  intCoreTag,
  load,
  mergeTag,
  NOT_RESOLVED,
  YAMLException,
} from 'js-yaml';
import { JSON_DEPTH_MAX } from '../apimachinery/json/json.ts';

/** Limit of aliases per document, against documents made to explode. */
const ALIASES_MAX = 100;
/** Size of a document when its aliases are expanded: characters of its texts and keys, and one for each value. */
const EXPANDED_MAX = 3 * 1024 * 1024;
/** How deep values may be nested, as in JSON. */
const DEPTH_MAX = JSON_DEPTH_MAX;
/** Characters of a parser's message that are passed on. */
const REASON_LENGTH_MAX = 256;
const DUPLICATE_KEY = 'duplicated mapping key';

/** Integers beyond 2^53-1 keep their digits. */
const intTag = defineScalarTag(intCoreTag.tagName, {
  implicit: true,
  implicitFirstChars: intCoreTag.implicitFirstChars,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    if (value === NOT_RESOLVED || Number.isSafeInteger(value)) return value;
    return /^[-+]?\d{16,19}$/.test(source) ? BigInt(source.replace(/^\+/, '')) : value;
  },
  identify: (data) => typeof data === 'bigint' || intCoreTag.identify(data),
  represent: (data) => String(data),
});

/** As Kubernetes reads YAML: version 1.1 booleans and merge keys, but times stay text. */
const schema = CORE_SCHEMA.withTags(mergeTag, boolYaml11Tag, intTag);

/** A document that cannot be read; the message is for the client. */
export class YamlError extends Error {}

/**
 * Parses one YAML document into JSON values. Bounded in aliases, depth and expanded size; throws `YamlError`. Where a
 * key occurs twice in a mapping the last one counts, and `onDuplicate` is called with the first such place.
 */
export function parseYaml(text: string, onDuplicate?: (problem: string) => void): unknown {
  const value = read(text, onDuplicate);
  checkExpanded(value);
  return value;
}

/** The result of reading a document; plain data, so that a thread can return it. */
export interface YamlReading {
  readonly value?: unknown;
  /** Why there is no value; a message for the client. */
  readonly error?: string;
  /** The first key that occurs twice. */
  readonly duplicate?: string;
}

/** Reads a body as YAML. */
export function readYaml(body: Uint8Array): YamlReading {
  if (!isUtf8(body)) return { error: 'yaml: invalid UTF-8' };
  let duplicate: string | undefined;
  try {
    const value = parseYaml(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'), (problem) => {
      duplicate = problem;
    });
    return { value, ...(duplicate === undefined ? {} : { duplicate }) };
  } catch (error) {
    if (error instanceof YamlError) return { error: error.message };
    throw error;
  }
}

function read(text: string, onDuplicate: ((problem: string) => void) | undefined): unknown {
  const options = { schema, maxAliases: ALIASES_MAX, maxDepth: DEPTH_MAX, maxTotalMergeKeys: ALIASES_MAX };
  try {
    return load(text, options);
  } catch (error) {
    if (!(error instanceof YAMLException) || error.reason !== DUPLICATE_KEY) throw yamlError(error);
    onDuplicate?.(
      `yaml: unmarshal errors:\n  line ${lineOf(error)}: key ${JSON.stringify(keyAt(text, error.mark?.position ?? 0))} already set in map`,
    );
  }
  try {
    return load(text, { ...options, json: true });
  } catch (error) {
    throw yamlError(error);
  }
}

function yamlError(error: unknown): YamlError {
  if (!(error instanceof YAMLException)) return new YamlError('yaml: the document cannot be read');
  return new YamlError(`yaml: line ${lineOf(error)}: ${error.reason.slice(0, REASON_LENGTH_MAX)}`);
}

function lineOf(error: YAMLException): number {
  return (error.mark?.line ?? 0) + 1;
}

/** The key that begins at a position, as far as its line shows it. */
function keyAt(text: string, position: number): string {
  return /^["']?([^\n"':,]*)/.exec(text.slice(position, position + REASON_LENGTH_MAX))?.[1]?.trim() ?? '';
}

/**
 * Aliases share their target: counts the size of the expanded document. An anchor may even contain itself, which has no
 * end.
 */
function checkExpanded(root: unknown): void {
  let size = 0;
  const count = (value: unknown, depth: number): void => {
    if (typeof value === 'string') size += checkText(value).length;
    else if (typeof value === 'number' && !Number.isFinite(value))
      throw new YamlError(`yaml: unsupported value: ${value}`);
    if (++size > EXPANDED_MAX || depth > DEPTH_MAX) throw new YamlError('yaml: document contains excessive aliasing');
    if (value === null || typeof value !== 'object') return;
    for (const key of Object.keys(value)) {
      if (!Array.isArray(value)) size += checkText(key).length;
      count((value as Record<string, unknown>)[key], depth + 1);
    }
  };
  count(root, 0);
}

/** Escapes can name halves of surrogate pairs, which are not valid in UTF-8. */
function checkText(text: string): string {
  if (!text.isWellFormed()) throw new YamlError('yaml: found invalid Unicode character escape code');
  return text;
}

/** Writes JSON values as YAML, keys sorted. */
export function toYaml(value: unknown): string {
  return dump(value, { schema, sortKeys: true, noRefs: true, seqNoIndent: true, lineWidth: -1, quoteStyle: 'double' });
}

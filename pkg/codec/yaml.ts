import { boolYaml11Tag, CORE_SCHEMA, defineScalarTag, dump, intCoreTag, load, mergeTag, NOT_RESOLVED } from 'js-yaml';

/** Aliases per document; more is a document made to explode. */
const ALIASES_MAX = 100;
/** Values in a document after its aliases are expanded, and how deep they may be nested. */
const VALUES_MAX = 100_000;
const DEPTH_MAX = 1000;

/** Integers beyond 2^53-1 keep their digits. */
const intTag = defineScalarTag(intCoreTag.tagName, {
  implicit: true,
  implicitFirstChars: intCoreTag.implicitFirstChars,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    if (value === NOT_RESOLVED || Number.isSafeInteger(value)) return value;
    return /^[-+]?\d+$/.test(source) ? BigInt(source.replace(/^\+/, '')) : value;
  },
  identify: (data) => typeof data === 'bigint' || intCoreTag.identify(data),
  represent: (data) => String(data),
});

/** As Kubernetes reads YAML: version 1.1 booleans and merge keys, but times stay text. */
const schema = CORE_SCHEMA.withTags(mergeTag, boolYaml11Tag, intTag);

/** A document that cannot be read, in words for the client. */
export class YamlError extends Error {}

/** Parses one YAML document into JSON values. Bounded in aliases, depth and expanded size; throws `YamlError`. */
export function parseYaml(text: string): unknown {
  let value: unknown;
  try {
    value = load(text, { schema, maxAliases: ALIASES_MAX, maxDepth: DEPTH_MAX, maxTotalMergeKeys: ALIASES_MAX });
  } catch (error) {
    throw new YamlError(`error converting YAML to JSON: yaml: ${(error as Error).message.split('\n')[0]}`);
  }
  // Aliases share their target: count what the document stands for when written out.
  let values = 0;
  const count = (at: unknown): void => {
    if (++values > VALUES_MAX) throw new YamlError('error converting YAML to JSON: yaml: document contains excessive aliasing');
    if (at !== null && typeof at === 'object') for (const child of Object.values(at)) count(child);
  };
  if (text.includes('*')) count(value);
  return value;
}

/** Writes JSON values as YAML, keys sorted. */
export function toYaml(value: unknown): string {
  return dump(value, { schema, sortKeys: true, noRefs: true, seqNoIndent: true, lineWidth: -1, quoteStyle: 'double' });
}

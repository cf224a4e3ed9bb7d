/**
 * Texts about messages (under the empty name) and their fields, by message name; made from the comments in `proto/`.
 */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

// Process-wide: texts of the program.
let loaded: Promise<Descriptions> | undefined;

/** Loaded on first use: only OpenAPI documents need them. */
export function loadDescriptions(): Promise<Descriptions> {
  loaded ??= import('../../generated/descriptions.json', { with: { type: 'json' } }).then(
    (module) => module.default as Descriptions,
  );
  return loaded;
}

/** Lines of a paragraph are joined, since clients wrap them themselves. */
export function describe(descriptions: Descriptions, message: string, field = ''): string | undefined {
  const texts = Object.hasOwn(descriptions, message) ? descriptions[message]! : {};
  const text = Object.hasOwn(texts, field) ? texts[field]! : undefined;
  return text?.replace(/([^\n])\n(?![\n\-* ])/g, '$1 ');
}

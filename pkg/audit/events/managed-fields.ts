import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { parseJson } from '../../apimachinery/json/json.ts';

interface WithMetadata {
  metadata?: { managedFields?: unknown };
  items?: unknown;
  rows?: unknown;
}

/**
 * The JSON of an object, of a list, or of a table with its objects, without `managedFields`. Other values stay
 * unchanged.
 */
export function withoutManagedFields(json: string): string {
  if (!json.includes('"managedFields"')) return json;
  const document = parseJson(json);
  strip(document);
  const { items, rows } = (document ?? {}) as WithMetadata;
  if (Array.isArray(items)) for (const item of items) strip(item);
  if (Array.isArray(rows)) for (const row of rows) strip((row as { object?: unknown } | null)?.object ?? null);
  return stringifyEscaped(document);
}

function strip(object: unknown): void {
  const metadata = (object as WithMetadata | null)?.metadata;
  if (metadata !== null && typeof metadata === 'object') delete metadata.managedFields;
}

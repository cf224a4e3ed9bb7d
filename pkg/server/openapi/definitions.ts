import { compare } from '../documents/served-resources.ts';
import type { ServedResource } from '../documents/served-resources.ts';
import { generatedMessages } from '../../generated/kinds.ts';
import type { GroupVersionKind, JsonSchema } from './json-schema.ts';
import { definitionName } from './type-names.ts';
import { type SchemaContext, type TypeSchema, typeSchema } from './type-schemas.ts';

/**
 * The roots and every message that they lead to, as name and schema, sorted by name. `known`: those made before in the
 * same context.
 */
export function definitions(
  roots: Iterable<string>,
  context: SchemaContext,
  known = new Map<string, TypeSchema>(),
): [name: string, schema: JsonSchema][] {
  const found = new Map<string, JsonSchema>();
  const waiting = [...roots];
  for (let message = waiting.pop(); message !== undefined; message = waiting.pop()) {
    if (found.has(message)) continue;
    let type = known.get(message);
    if (type === undefined) known.set(message, (type = typeSchema(message, context)));
    found.set(message, type.schema);
    waiting.push(...type.references);
  }
  return [...found]
    .map(([message, schema]): [string, JsonSchema] => [definitionName(message), schema])
    .sort(([a], [b]) => compare(a, b));
}

const kindMessages = new Map(generatedMessages.filter((m) => m.isKind).map((m) => [m.message, m]));

/** Options and events belong to every group version, since each declares them again for its clients. */
const universalKinds = new Set(['DeleteOptions', 'WatchEvent']);

/** Lists the kinds of a message by the resources that are served. */
export function kindsOfMessages(
  resources: readonly ServedResource[],
): (message: string) => readonly GroupVersionKind[] {
  const dataKinds = new Map(
    resources.flatMap(({ group, kind, message, schema, version }) =>
      schema === undefined
        ? []
        : [
            [message, { group, kind, version }],
            [`${message}List`, { group, kind: `${kind}List`, version }],
          ],
    ) as [string, GroupVersionKind][],
  );
  // Documents about other groups stay the same when kinds are added and removed at run time.
  const builtIn = resources.filter(({ schema }) => schema === undefined);
  const groupVersions = new Map(builtIn.map((r) => [r.groupVersion, { group: r.group, version: r.version }]));
  groupVersions.set('v1', { group: '', version: 'v1' });
  const sorted = [...groupVersions].sort(([a], [b]) => compare(a, b)).map(([, gv]) => gv);
  return (message) => {
    const ofData = dataKinds.get(message);
    if (ofData !== undefined) return [ofData];
    const known = kindMessages.get(message);
    if (known === undefined) return [];
    if (!message.startsWith('meta/')) return [{ group: known.group, kind: known.kind, version: known.version }];
    if (!universalKinds.has(known.kind)) return [{ group: '', kind: known.kind, version: 'v1' }];
    return sorted.map(({ group, version }) => ({ group, kind: known.kind, version }));
  };
}

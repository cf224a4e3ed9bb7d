import { createHash } from 'node:crypto';
import type { AnyResource } from '../../api/resource-definition.ts';
import { type SchemaData, schemaFromData } from '../../codec/schema-data.ts';

/** A kind whose schema is data, for a thread without it: read once, then cached by its id. */
export interface KindText {
  readonly id: string;
  /** JSON, in memory that threads share: naming it in a task copies nothing. */
  readonly text: SharedArrayBuffer;
}

/** What a thread needs to read stored objects and to write them as items. */
interface KindData {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly hub: string;
  readonly storageVersion: string;
  readonly storagePath: string;
  readonly hiddenAnnotations: readonly string[];
  readonly versions: readonly { groupVersion: string; message: string; kind?: string; schemaData: SchemaData }[];
}

/** Undefined where a version has code of its own, or is not data: such objects are written on the main loop. */
export function kindText(definition: AnyResource): KindText | undefined {
  const data = kindData(definition);
  if (data === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(data));
  const text = new SharedArrayBuffer(bytes.length);
  new Uint8Array(text).set(bytes);
  return { id: createHash('sha256').update(bytes).digest('base64'), text };
}

function kindData(definition: AnyResource): KindData | undefined {
  const { group, resource, kind, singular, namespaced, hub, storageVersion, storagePath } = definition;
  const versions: KindData['versions'][number][] = [];
  for (const { groupVersion, message, kind: own, schemaData, setDefaults, toHub, fromHub } of definition.versions) {
    if (schemaData === undefined || setDefaults !== undefined || toHub !== undefined || fromHub !== undefined)
      return undefined;
    versions.push({ groupVersion, message, schemaData, ...(own === undefined ? {} : { kind: own }) });
  }
  const { hiddenAnnotations = [] } = definition;
  const names = { group, resource, kind, singular, namespaced, hub, storageVersion, storagePath };
  return { ...names, hiddenAnnotations, versions };
}

/** The definition, as far as items need it: it validates nothing and has no table. */
export function kindOfText({ text }: KindText): AnyResource {
  const data = JSON.parse(Buffer.from(text).toString()) as KindData;
  return {
    ...data,
    storageEncoding: 'json',
    versions: data.versions.map((version) => ({
      ...version,
      schema: schemaFromData(version.schemaData, version.message),
    })),
    validateName: () => [],
  };
}

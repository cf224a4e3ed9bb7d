import type { Field, Message, Model } from './model.ts';
import { isPlain } from './emit-codecs.ts';
import { hoisted } from './emit-types.ts';
import { moduleName } from './module-name.ts';

/**
 * Emits the field tables as rows that `pkg/codec/schemas.ts` turns into `MessageSchema` when first asked for, the list
 * of kinds with their codec functions, and the descriptions, which only the OpenAPI documents load.
 */
export function emitSchemas(model: Model): Map<string, string> {
  const files = new Map<string, string>();
  const rows: Record<string, unknown[][]> = {};
  const descriptions: Record<string, Record<string, string>> = {};
  for (const m of model.messages.values()) {
    if (!isPlain(m) && !m.jsonOnly) continue;
    const fields = hoisted(m, model);
    rows[m.fullName] = [...(m.isKind ? typeMetaRows : []), ...fields.map(fieldRow)];
    descriptions[m.fullName] = Object.fromEntries(
      [['', m.comment], ...fields.map((f) => [f.name, f.comment])].filter(([, c]) => c !== ''),
    );
  }
  files.set('schema-rows.ts', emitRows(rows, model));
  files.set('wire-rows.ts', emitWireRows(model));
  files.set('descriptions.json', `${JSON.stringify(descriptions)}\n`);
  files.set('kinds.ts', emitKinds(model));
  return files;
}

/** Every kind's JSON form starts with these; in protobuf they stand in the envelope. */
const typeMetaRows: unknown[][] = [
  ['kind', 'string', 'single', 2],
  ['apiVersion', 'string', 'single', 2],
];

/** `[name, kind, card, flags, ref?, extras?]`; see `pkg/codec/schemas.ts`. */
function fieldRow(f: Field): unknown[] {
  const flags = (f.pointer ? 1 : 0) | (f.omitEmpty ? 2 : 0) | (f.required ? 4 : 0) | (f.omitZero ? 8 : 0);
  const extras = {
    patchStrategy: f.patchStrategy,
    patchMergeKey: f.patchMergeKey,
    listType: f.listType,
    listMapKeys: f.listMapKeys,
    mapType: f.mapType,
    default: f.default,
    enum: f.enum,
  };
  const row: unknown[] = [f.name, f.kind, f.card, flags];
  const hasExtras = Object.values(extras).some((v) => v !== undefined);
  if (f.ref !== undefined || hasExtras) row.push(f.ref ?? 0);
  if (hasExtras) row.push(extras);
  return row;
}

/**
 * `[num, name, kind, card, flags, ref?]` of each field that a message has in protobuf, in the order of declaration; see
 * `pkg/codec/stored/message-plan.ts`.
 */
function emitWireRows(model: Model): string {
  const rows: Record<string, unknown[][]> = {};
  for (const m of model.messages.values()) {
    if (!isPlain(m)) continue;
    rows[m.fullName] = m.fields.map((f) => {
      const flags = (f.pointer ? 1 : 0) | (f.omitEmpty ? 2 : 0) | (f.omitZero ? 8 : 0) | (f.inline ? 16 : 0);
      return [f.num, f.name, f.kind, f.card, flags, ...(f.ref === undefined ? [] : [f.ref])];
    });
  }
  return [
    '// Generated from proto/ by hack/generate. Do not edit.',
    `export const wireRows = JSON.parse(${JSON.stringify(JSON.stringify(rows))}) as Record<string, unknown[][]>;`,
    '',
  ].join('\n');
}

function emitRows(rows: Record<string, unknown[][]>, model: Model): string {
  const json = (value: unknown): string => JSON.stringify(JSON.stringify(value));
  return [
    '// Generated from proto/ by hack/generate. Do not edit.',
    `export const parseSchemaRows = () => JSON.parse(${json(rows)}) as Record<string, unknown[][]>;`,
    `export const constants = JSON.parse(${json(Object.fromEntries(model.constants))}) as Record<string, string[]>;`,
    '',
  ].join('\n');
}

function emitKinds(model: Model): string {
  const kinds = [...model.messages.values()]
    .filter((m) => m.isKind || ['core', 'meta'].includes(m.pkg.split('/')[0]!))
    .filter((m) => isPlain(m) || m.jsonOnly);
  const packages = [...new Set(kinds.filter(isPlain).map((m) => m.pkg))];
  const alias = (pkg: string): string => moduleName(pkg).replaceAll('-', '_');
  const row = (m: Message): string => {
    const codec = isPlain(m) ? `${alias(m.pkg)}.read${m.name}, ${alias(m.pkg)}.write${m.name}` : 'undefined, undefined';
    return `  row(${JSON.stringify(m.fullName)}, ${JSON.stringify(m.group)}, ${JSON.stringify(m.version)}, ${JSON.stringify(m.name)}, ${m.isKind}, ${m.namespaced}, ${codec}),`;
  };
  return [
    '// Generated from proto/ by hack/generate. Do not edit.',
    "import type { Reader, Writer } from '../codec/protobuf/wire.ts';",
    ...packages.map((p) => `import * as ${alias(p)} from './codecs/${moduleName(p)}.ts';`),
    '',
    '/** A message with codec functions; both are undefined for types without protobuf form. */',
    'export interface GeneratedMessage {',
    '  message: string;',
    '  group: string;',
    '  version: string;',
    '  kind: string;',
    '  isKind: boolean;',
    '  namespaced: boolean;',
    '  // `any`: the JSON shape of whatever type this is.',
    '  read: ((r: Reader, end: number, o?: any) => any) | undefined;',
    '  write: ((o: any, w: Writer) => void) | undefined;',
    '}',
    '',
    "function row(message: string, group: string, version: string, kind: string, isKind: boolean, namespaced: boolean, read: GeneratedMessage['read'], write: GeneratedMessage['write']): GeneratedMessage {",
    '  return { message, group, version, kind, isKind, namespaced, read, write };',
    '}',
    '',
    'export const generatedMessages: GeneratedMessage[] = [',
    ...kinds.map(row),
    '];',
    '',
  ].join('\n');
}

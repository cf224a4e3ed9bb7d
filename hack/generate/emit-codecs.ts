import type { Field, Message, Model } from './model.ts';
import { moduleName } from './module-name.ts';

/**
 * Emits one module of protobuf codecs per package: `read<Name>` decodes straight into the JSON shape, `write<Name>`
 * encodes from it. A field that is neither pointer, list nor map is always written, in field-number order; JSON keys
 * keep the order of declaration.
 */
export function emitCodecs(model: Model): Map<string, string> {
  const files = new Map<string, string>();
  for (const pkg of new Set([...model.messages.values()].map((m) => m.pkg))) {
    const messages = [...model.messages.values()].filter((m) => m.pkg === pkg && isPlain(m));
    if (messages.length === 0) continue;
    const emitter = new PackageEmitter(model, pkg);
    const body = messages.map((m) => `${emitter.reader(m)}\n${emitter.writer(m)}`).join('\n');
    files.set(`codecs/${moduleName(pkg)}.ts`, `${emitter.header(body)}\n${body}\n`);
  }
  return files;
}

/** Has codec functions of its own; the others are values that `wire.ts` reads and writes. */
export function isPlain(message: Message): boolean {
  return !message.jsonOnly && !message.jsonList && !wireMessages.has(message.fullName);
}

const wireMessages = new Set([
  'resource.Quantity',
  'intstr.IntOrString',
  'runtime.RawExtension',
  'meta/v1.Time',
  'meta/v1.MicroTime',
  'meta/v1.Duration',
  'meta/v1.FieldsV1',
  'apiextensions/v1.JSON',
  'apiextensions/v1beta1.JSON',
  'apiextensions/v1.JSONSchemaPropsOrArray',
  'apiextensions/v1.JSONSchemaPropsOrBool',
  'apiextensions/v1.JSONSchemaPropsOrStringArray',
  'apiextensions/v1beta1.JSONSchemaPropsOrArray',
  'apiextensions/v1beta1.JSONSchemaPropsOrBool',
  'apiextensions/v1beta1.JSONSchemaPropsOrStringArray',
]);

const wireType: Record<string, number> = { bool: 0, int32: 0, int64: 0, double: 1 };

/** JSON text of the zero value of a field that is always present in JSON. */
function zeroLiteral(f: Field): string {
  if (f.card !== 'single' || f.pointer) return 'null';
  switch (f.kind) {
    case 'string':
      return "''";
    case 'bool':
      return 'false';
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return '0';
    case 'quantity':
      return "'0'";
    case 'duration':
      return "'0s'";
    case 'schemaOrStringArray':
      return '{}';
    default:
      return 'null';
  }
}

/** Structs that are values are always present; of the rest, those that JSON does not omit when empty. */
function alwaysPresent(f: Field): boolean {
  if (f.omitZero) return false;
  if (f.pointer) return !f.omitEmpty;
  if (f.card !== 'single') return !f.omitEmpty;
  return !f.omitEmpty || ['time', 'microTime', 'quantity', 'intOrString', 'duration', 'raw'].includes(f.kind);
}

function readExpression(f: Field): string {
  switch (f.kind) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'double':
      return `r.${f.kind}()`;
    case 'int64':
      return 'readInt64(r)';
    case 'bytes':
      return 'readBytes(r)';
    case 'time':
      return 'readTime(r)';
    case 'microTime':
      return 'readMicroTime(r)';
    case 'quantity':
      return 'readQuantity(r)';
    case 'intOrString':
      return 'readIntOrString(r)';
    case 'duration':
      return 'readDuration(r, formatDuration)';
    case 'raw':
      return 'readRaw(r, parseRawJson)';
    case 'stringList':
      return 'readStringList(r)';
    case 'schemaOrArray':
      return `readSchemaOrArray(r, ${schemaReader(f)})`;
    case 'schemaOrBool':
      return `readSchemaOrBool(r, ${schemaReader(f)})`;
    case 'schemaOrStringArray':
      return `readSchemaOrStringArray(r, ${schemaReader(f)})`;
    case 'message':
      return `${functionName('read', f.ref!)}(r, endOf(r))`;
  }
}

function writeStatement(f: Field, value: string): string {
  switch (f.kind) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'double':
      return `.${f.kind}(${value})`;
    default:
      return '';
  }
}

function writeCall(f: Field, value: string): string {
  switch (f.kind) {
    case 'int64':
      return `writeInt64(w, ${value})`;
    case 'bytes':
      return `writeBytes(w, ${value})`;
    case 'time':
      return `writeTime(w, ${value})`;
    case 'microTime':
      return `writeMicroTime(w, ${value})`;
    case 'quantity':
      return `writeQuantity(w, ${value})`;
    case 'intOrString':
      return `writeIntOrString(w, ${value})`;
    case 'duration':
      return `writeDuration(w, ${value}, parseDuration)`;
    case 'raw':
      return `writeRaw(w, ${value}, ${f.ref === 'runtime.RawExtension' ? 'stringifyRawExtension' : 'stringifyRawJson'})`;
    case 'stringList':
      return `writeStringList(w, ${value})`;
    case 'schemaOrArray':
      return `writeSchemaOrArray(w, ${value}, ${schemaWriter(f)})`;
    case 'schemaOrBool':
      return `writeSchemaOrBool(w, ${value}, ${schemaWriter(f)})`;
    case 'schemaOrStringArray':
      return `writeSchemaOrStringArray(w, ${value}, ${schemaWriter(f)})`;
    default:
      return `w.fork(); ${functionName('write', f.ref!)}(${value}, w); w.ldelim()`;
  }
}

const schemaReader = (f: Field): string =>
  functionName('read', `${f.ref!.slice(0, f.ref!.lastIndexOf('.'))}.JSONSchemaProps`);
const schemaWriter = (f: Field): string =>
  functionName('write', `${f.ref!.slice(0, f.ref!.lastIndexOf('.'))}.JSONSchemaProps`);

function functionName(verb: 'read' | 'write', fullName: string): string {
  const dot = fullName.lastIndexOf('.');
  return `${moduleName(fullName.slice(0, dot)).replaceAll('-', '_')}.${verb}${fullName.slice(dot + 1)}`;
}

const alias = (pkg: string): string => moduleName(pkg).replaceAll('-', '_');

const wireFunctions = [
  'append',
  'endOf',
  'readBytes',
  'readDuration',
  'readEntry',
  'readInt64',
  'readIntOrString',
  'readMicroTime',
  'readQuantity',
  'readRaw',
  'readShared',
  'readStringList',
  'readTime',
  'sortedKeys',
  'writeBytes',
  'writeDuration',
  'writeInt64',
  'writeIntOrString',
  'writeMicroTime',
  'writeQuantity',
  'writeRaw',
  'writeStringList',
  'writeTime',
];
const jsonValueFunctions = [
  'formatDuration',
  'parseDuration',
  'parseRawJson',
  'readSchemaOrArray',
  'readSchemaOrBool',
  'readSchemaOrStringArray',
  'stringifyRawExtension',
  'stringifyRawJson',
  'writeSchemaOrArray',
  'writeSchemaOrBool',
  'writeSchemaOrStringArray',
];

function property(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `o.${name}` : `o[${JSON.stringify(name)}]`;
}

class PackageEmitter {
  private readonly model: Model;
  private readonly pkg: string;
  private readonly imports = new Set<string>();
  /** The number of each is its type in the cache of equal ones. */
  private readonly shared: readonly string[];

  constructor(model: Model, pkg: string) {
    this.model = model;
    this.pkg = pkg;
    this.shared = [...model.messages.values()].filter((m) => m.shared).map((m) => m.fullName);
  }

  header(body: string): string {
    const self = moduleName(this.pkg);
    const used = (names: readonly string[]): string =>
      names.filter((n) => new RegExp(`\\b${n}\\b`).test(body)).join(', ');
    const lines = [
      '// Generated from proto/ by hack/generate. Do not edit.',
      '// `any`: these functions stand at the wire boundary; the interfaces in ../types describe what they return.',
      `import { ${used(wireFunctions)}, type Reader, type Writer } from '../../codec/protobuf/wire.ts';`,
    ];
    if (used(jsonValueFunctions) !== '')
      lines.push(`import { ${used(jsonValueFunctions)} } from '../../codec/protobuf/json-values.ts';`);
    const packages = [...this.imports].sort();
    if (used([`${alias(this.pkg)}\\.`]) !== '') packages.unshift(this.pkg);
    for (const pkg of packages)
      lines.push(`import * as ${alias(pkg)} from './${pkg === this.pkg ? self : moduleName(pkg)}.ts';`);
    return `${lines.join('\n').replace('{ , type', '{ type')}\n`;
  }

  private note(f: Field): void {
    if (f.ref === undefined) return;
    const pkg = f.ref.slice(0, f.ref.lastIndexOf('.'));
    const target = this.model.messages.get(f.ref)!;
    if (pkg !== this.pkg && isPlain(target)) this.imports.add(pkg);
  }

  reader(m: Message): string {
    const initial = m.fields
      .filter((f) => !f.inline && alwaysPresent(f))
      .map((f) => `  ${property(f.name)} = ${zeroLiteral(f)};`);
    const cases = m.fields.map((f) => `      case ${f.num}: ${this.readCase(f)} break;`);
    const after = m.fields
      .filter((f) => !f.inline && f.kind === 'message' && f.card === 'single' && !f.pointer)
      .map(
        (f) => `  if (${property(f.name)} == null) ${property(f.name)} = ${functionName('read', f.ref!)}(r, r.pos);`,
      );
    // An inline struct that is not on the wire still contributes its always-present fields.
    const inline = m.fields.filter((f) => f.inline).map((f) => `  ${functionName('read', f.ref!)}(r, r.pos, o);`);
    return [
      `export function read${m.name}(r: Reader, end: number, o: any = {}): any {`,
      ...inline,
      ...initial,
      '  while (r.pos < end) {',
      '    const tag = r.uint32();',
      '    switch (tag >>> 3) {',
      ...cases,
      '      default: r.skipType(tag & 7, 0, tag >>> 3);',
      '    }',
      '  }',
      ...after,
      '  return o;',
      '}',
    ].join('\n');
  }

  private readExpression(f: Field): string {
    const shared = f.kind === 'message' ? this.shared.indexOf(f.ref!) : -1;
    return shared < 0 ? readExpression(f) : `readShared(r, ${functionName('read', f.ref!)}, ${shared})`;
  }

  private readCase(f: Field): string {
    this.note(f);
    const read = this.readExpression(f);
    if (f.inline) return `${functionName('read', f.ref!)}(r, endOf(r), o);`;
    const p = property(f.name);
    if (f.card === 'list') {
      // Packed lists of scalars are accepted too, as protobuf demands.
      if (wireType[f.kind] !== undefined)
        return `if ((tag & 7) === 2) { const e = endOf(r); ${p} ??= []; while (r.pos < e) ${p}.push(${read}); } else ${p} = append(${p}, ${read});`;
      return `${p} = append(${p}, ${read});`;
    }
    if (f.card === 'map') {
      const zero =
        f.kind === 'message'
          ? `${functionName('read', f.ref!)}(r, r.pos)`
          : f.kind === 'stringList'
            ? '[]'
            : f.kind === 'bytes'
              ? "''"
              : zeroLiteral({ ...f, card: 'single', pointer: false });
      return `readEntry(r, ${p} ??= {}, () => (${zero}) as any, (r) => ${read});`;
    }
    if (!f.pointer && f.omitEmpty && ['string', 'bool', 'int32', 'int64', 'double', 'bytes'].includes(f.kind)) {
      const empty = f.kind === 'bytes' ? "''" : zeroLiteral(f);
      return `{ const v = ${read}; if (v !== ${empty}) ${p} = v; else delete ${p}; }`;
    }
    if (f.omitZero) return `{ const v = ${read}; if (v !== null) ${p} = v; else delete ${p}; }`;
    return `${p} = ${read};`;
  }

  writer(m: Message): string {
    const fields = [...m.fields].sort((a, b) => a.num - b.num);
    const parameters = fields.length === 0 ? '_o: any, _w: Writer' : 'o: any, w: Writer';
    return [
      `export function write${m.name}(${parameters}): void {`,
      ...fields.map((f) => `  ${this.writeField(f)}`),
      '}',
    ].join('\n');
  }

  private writeField(f: Field): string {
    const wire = f.card === 'map' ? 2 : (wireType[f.kind] ?? 2);
    const tag = ((f.num << 3) | wire) >>> 0;
    if (f.inline) return `w.uint32(${tag}).fork(); ${functionName('write', f.ref!)}(o, w); w.ldelim();`;
    const p = property(f.name);
    const item = (value: string): string =>
      writeStatement(f, value)
        ? `w.uint32(${tag})${writeStatement(f, value)};`
        : `w.uint32(${tag}); ${writeCall(f, value)};`;
    if (f.card === 'list') return `if (${p} != null) for (const v of ${p}) { ${item('v')} }`;
    if (f.card === 'map')
      return `if (${p} != null) for (const k of sortedKeys(${p})) { w.uint32(${tag}).fork().uint32(10).string(k); ${this.entryValue(f, `${p}[k]`)} w.ldelim(); }`;
    if (f.pointer || f.kind === 'bytes' || f.kind === 'stringList') return `if (${p} != null) { ${item(p)} }`;
    switch (f.kind) {
      case 'string':
        return item(`${p} ?? ''`);
      case 'bool':
        return item(`${p} ?? false`);
      case 'int32':
      case 'int64':
      case 'double':
        return item(`${p} ?? 0`);
      case 'message':
        return item(`${p} ?? {}`);
      default:
        return item(p);
    }
  }

  private entryValue(f: Field, value: string): string {
    const tag = (2 << 3) | (wireType[f.kind] ?? 2);
    const write = writeStatement(f, value)
      ? `w.uint32(${tag})${writeStatement(f, value)};`
      : `w.uint32(${tag}); ${writeCall(f, value)};`;
    return f.kind === 'bytes' ? `if (${value} != null) { ${write} }` : write;
  }
}

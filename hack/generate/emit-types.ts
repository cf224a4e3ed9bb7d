import type { Field, Message, Model } from './model.ts';
import { moduleName } from './module-name.ts';

/**
 * Emits the TypeScript interfaces of the JSON shapes, one module per package, and the closed sets of string constants.
 */
export function emitTypes(model: Model): Map<string, string> {
  const files = new Map<string, string>();
  const packages = new Set([...model.messages.values()].map((m) => m.pkg));
  for (const pkg of packages) {
    const imports = new Set<string>();
    const parts = [...model.messages.values()]
      .filter((m) => m.pkg === pkg && !isValueType(m))
      .map((m) => emitInterface(m, imports, model));
    const constants = [...model.constants]
      .filter(([name]) => name.slice(0, name.lastIndexOf('.')) === pkg)
      .map(([name, values]) => emitConstants(name, values));
    if (parts.length === 0 && constants.length === 0) continue;
    imports.delete(pkg);
    const head = [
      '// Generated from proto/ by hack/generate. Do not edit.',
      ...[...imports].sort().map((p) => `import type * as ${alias(p)} from './${moduleName(p)}.ts';`),
    ];
    files.set(`types/${moduleName(pkg)}.ts`, `${[...head, '', ...constants, ...parts].join('\n')}\n`);
  }
  return files;
}

const alias = (pkg: string): string => moduleName(pkg).replaceAll('-', '_');

function isValueType(m: Message): boolean {
  return (
    m.jsonList ||
    ['Time', 'MicroTime', 'Duration', 'FieldsV1', 'Quantity', 'IntOrString', 'RawExtension', 'JSON'].includes(m.name) ||
    m.name.startsWith('JSONSchemaPropsOr')
  );
}

function emitConstants(fullName: string, values: readonly string[]): string {
  const name = fullName.slice(fullName.lastIndexOf('.') + 1);
  return `export const ${name}Values: readonly string[] = ${JSON.stringify(values)};`;
}

function emitInterface(m: Message, imports: Set<string>, model: Model): string {
  const lines = [doc(m.comment, ''), `export interface ${m.name} {`];
  if (m.isKind) lines.push('  kind?: string;', '  apiVersion?: string;');
  for (const f of hoisted(m, model))
    lines.push(doc(f.comment, '  '), `  ${key(f.name)}${isOptional(f) ? '?' : ''}: ${fieldType(f, m.pkg, imports)};`);
  lines.push('}', '');
  return lines.filter((l) => l !== undefined && l !== '').join('\n') + '\n';
}

/** The fields in JSON: those of inline structs stand where the struct is declared. */
export function hoisted(m: Message, model: Model): Field[] {
  return m.fields.flatMap((f) => (f.inline ? hoisted(model.messages.get(f.ref!)!, model) : [f]));
}

function doc(comment: string, indent: string): string {
  if (comment === '') return '';
  return `${indent}/** ${comment.replaceAll('*/', '* /').replaceAll('\n', ' ')} */`;
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** Absent from JSON in some state of the value. */
function isOptional(f: Field): boolean {
  if (f.pointer || f.card !== 'single') return f.omitEmpty;
  if (f.omitZero) return true;
  return f.omitEmpty && ['string', 'bool', 'int32', 'int64', 'double', 'bytes', 'stringList'].includes(f.kind);
}

function fieldType(f: Field, pkg: string, imports: Set<string>): string {
  const value = valueType(f, pkg, imports);
  if (f.card === 'list') return `${value.includes(' ') ? `(${value})` : value}[]${f.omitEmpty ? '' : ' | null'}`;
  if (f.card === 'map') return `Record<string, ${value}>${f.omitEmpty ? '' : ' | null'}`;
  return f.pointer && !f.omitEmpty && value !== 'unknown' ? `${value} | null` : value;
}

function valueType(f: Field, pkg: string, imports: Set<string>): string {
  const schema = (): string => reference(`${f.ref!.slice(0, f.ref!.lastIndexOf('.'))}.JSONSchemaProps`, pkg, imports);
  switch (f.kind) {
    case 'string':
    case 'duration':
    case 'quantity':
      return 'string';
    // Empty bytes are null in JSON where they are not left out, also as entries of maps and lists.
    case 'bytes':
      return f.card === 'single' && (f.omitEmpty || f.pointer) ? 'string' : 'string | null';
    case 'time':
    case 'microTime':
      return f.pointer || f.omitZero || f.card !== 'single' ? 'string' : 'string | null';
    case 'bool':
      return 'boolean';
    case 'int32':
    case 'int64':
    case 'double':
      return 'number';
    case 'intOrString':
      return 'number | string';
    case 'raw':
      return 'unknown';
    case 'stringList':
      return f.card === 'single' && !f.omitEmpty ? 'string[] | null' : 'string[]';
    case 'schemaOrArray':
      return `${schema()} | ${schema()}[]`;
    case 'schemaOrBool':
      return `${schema()} | boolean`;
    case 'schemaOrStringArray':
      return `${schema()} | string[]`;
    case 'message':
      return reference(f.ref!, pkg, imports);
  }
}

function reference(fullName: string, pkg: string, imports: Set<string>): string {
  const dot = fullName.lastIndexOf('.');
  const target = fullName.slice(0, dot);
  if (target === pkg) return fullName.slice(dot + 1);
  imports.add(target);
  return `${alias(target)}.${fullName.slice(dot + 1)}`;
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';
import type { FieldKind } from '../../pkg/apimachinery/schema.ts';
import type { Field, Message, Model } from './model.ts';

/** Messages whose JSON form is not an object of their fields, with the kind that codecs and tables use for them. */
const specialKinds: Record<string, FieldKind> = {
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'runtime.RawExtension': 'raw',
  'meta/v1.Time': 'time',
  'meta/v1.MicroTime': 'microTime',
  'meta/v1.Duration': 'duration',
  'meta/v1.FieldsV1': 'raw',
  'apiextensions/v1.JSON': 'raw',
  'apiextensions/v1beta1.JSON': 'raw',
  'apiextensions/v1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'apiextensions/v1beta1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'apiextensions/v1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'apiextensions/v1beta1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'apiextensions/v1.JSONSchemaPropsOrStringArray': 'schemaOrStringArray',
  'apiextensions/v1beta1.JSONSchemaPropsOrStringArray': 'schemaOrStringArray',
};

const scalarKinds = new Set(['string', 'bool', 'int32', 'int64', 'double', 'bytes']);

type Options = Record<string, unknown> | undefined;
const flag = (options: Options, name: string): boolean => options?.[`(${name})`] === true;
const text = (options: Options, name: string): string | undefined => {
  const value = options?.[`(${name})`];
  return value === undefined ? undefined : String(value);
};

/** `core.v1` as written in proto files to `core/v1`, the form used everywhere else. */
function packagePath(protoPackage: string): string {
  return protoPackage.replace('.', '/');
}

function protoFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.proto') && f !== 'options.proto')
    .sort()
    .map((f) => path.join(dir, f));
}

/** `Name` in its own package or `other.v1.Name`, to the full name. */
function resolveType(type: string, pkg: string): string {
  const dot = type.lastIndexOf('.');
  return dot < 0 ? `${pkg}.${type}` : `${packagePath(type.slice(0, dot))}.${type.slice(dot + 1)}`;
}

function loadField(field: protobuf.FieldBase, pkg: string, jsonLists: ReadonlySet<string>): Field {
  const options = field.options as Options;
  const inline = flag(options, 'inline');
  const map = field instanceof protobuf.MapField;
  const constants = text(options, 'constants');
  const result: Field = {
    name: inline ? '' : (text(options, 'json') ?? field.name),
    num: field.id,
    kind: 'string',
    card: map ? 'map' : (field as protobuf.Field).repeated ? 'list' : 'single',
    inline,
    pointer: flag(options, 'pointer'),
    omitEmpty: flag(options, 'omitempty'),
    omitZero: flag(options, 'omitzero'),
    required: flag(options, 'required'),
    default: text(options, 'default_json'),
    patchStrategy: text(options, 'patch_strategy'),
    patchMergeKey: text(options, 'patch_merge_key'),
    listType: text(options, 'list_type'),
    listMapKeys: text(options, 'list_map_keys')?.split(','),
    mapType: text(options, 'map_type'),
    enum: constants === undefined ? undefined : resolveType(constants, pkg),
    comment: oneLine(field.comment),
  };
  if (scalarKinds.has(field.type)) {
    result.kind = field.type as FieldKind;
  } else if (field.type === 'Any') {
    result.kind = 'raw';
  } else {
    result.ref = resolveType(field.type, pkg);
    result.kind = jsonLists.has(result.ref) ? 'stringList' : (specialKinds[result.ref] ?? 'message');
  }
  return result;
}

interface Declared {
  type: protobuf.Type;
  pkg: string;
  fileOptions: Options;
}

function parseAll(dir: string): Declared[] {
  const out: Declared[] = [];
  for (const file of protoFiles(dir)) {
    const parsed = protobuf.parse(readFileSync(file, 'utf8'), { keepCase: true, alternateCommentMode: true });
    if (parsed.package === undefined) throw new Error(`${file}: no package`);
    const namespace = parsed.root.lookup(parsed.package) as protobuf.Namespace;
    for (const nested of namespace.nestedArray) {
      if (nested instanceof protobuf.Type)
        out.push({ type: nested, pkg: packagePath(parsed.package), fileOptions: namespace.options as Options });
    }
  }
  return out;
}

/** Reads all of `proto/` and checks that every reference resolves. */
export function loadProto(dir: string): Model {
  const model: Model = { messages: new Map(), constants: new Map() };
  const declared = parseAll(dir);
  const jsonLists = new Set(
    declared.filter((d) => flag(d.type.options as Options, 'json_list')).map((d) => `${d.pkg}.${d.type.name}`),
  );
  for (const { type, pkg, fileOptions } of declared) {
    const options = type.options as Options;
    const fullName = `${pkg}.${type.name}`;
    const values = text(options, 'string_constants');
    if (values !== undefined) {
      model.constants.set(fullName, values.split(','));
      continue;
    }
    if (model.messages.has(fullName)) throw new Error(`${fullName} is declared twice`);
    const message: Message = {
      fullName,
      pkg,
      name: type.name,
      group: text(fileOptions, 'group') ?? '',
      version: text(fileOptions, 'version') ?? '',
      // ObjectReference is registered as a kind but names another object's.
      isKind: flag(options, 'kind') && type.fields['kind'] === undefined,
      namespaced: flag(options, 'namespaced'),
      jsonList: flag(options, 'json_list'),
      jsonOnly: flag(options, 'json_only'),
      shared: flag(options, 'shared'),
      fields: type.fieldsArray.map((f) => loadField(f, pkg, jsonLists)),
      comment: oneLine(type.comment),
    };
    model.messages.set(fullName, message);
  }
  checkReferences(model);
  return model;
}

function checkReferences(model: Model): void {
  for (const message of model.messages.values()) {
    for (const field of message.fields) {
      if (field.ref !== undefined && !model.messages.has(field.ref)) {
        throw new Error(`${message.fullName}.${field.name}: no message ${field.ref}`);
      }
      // Some string types have no list of known values.
      if (field.enum !== undefined && !model.constants.has(field.enum)) field.enum = undefined;
    }
  }
}

function oneLine(comment: string | null): string {
  return (comment ?? '').replaceAll(/\s*\n\s*/g, ' ');
}

import type { JsonSchema } from './json-schema.ts';
import {
  bytesOf,
  fieldOf,
  writeAny,
  writeAnys,
  writeBool,
  writeEntry,
  writeExtensions,
  writeMessage,
  writeNamed,
  writeString,
  writeStrings,
  type Writer,
} from './protobuf-writing.ts';
import { type V2Head, type V2Operation, type V2Parameter, type V2PathItem, v2Security } from './v2.ts';

/**
 * OpenAPI v2 documents in the protobuf form of the gnostic project (message `openapi.v2.Document`), which older clients
 * ask for. Field numbers are those of its published definition; only the parts that our documents have are written.
 */

/** One entry of `paths`, with its tag. */
export function v2PathBytes(path: string, item: V2PathItem): Uint8Array {
  return bytesOf((w) => writeMessage(w, 2, item, (inner, value) => writeEntry(inner, path, value, writePathItem)));
}

/** One entry of `definitions`, with its tag. */
export function v2DefinitionBytes(name: string, schema: JsonSchema): Uint8Array {
  return bytesOf((w) => writeMessage(w, 1, schema, (inner, value) => writeEntry(inner, name, value, writeSchema)));
}

/** The whole document from its encoded paths and definitions, in pieces. */
export function v2DocumentPieces(
  head: V2Head,
  paths: readonly Uint8Array[],
  definitions: readonly Uint8Array[],
): Uint8Array[] {
  const first = bytesOf((w) => {
    writeString(w, 1, head.swagger);
    writeMessage(w, 2, head.info, (info, { title, version }) => {
      writeString(info, 1, title);
      writeString(info, 2, version);
    });
  });
  return [first, ...fieldOf(8, paths), ...fieldOf(9, definitions), bytesOf(writeSecurity)];
}

function writeSecurity(w: Writer): void {
  for (const requirement of v2Security.security) {
    writeMessage(w, 12, requirement, (r, names) =>
      writeNamed(r, 1, names, (list, values) => writeStrings(list, 1, values)),
    );
  }
  writeMessage(w, 13, v2Security.securityDefinitions, (s, schemes) =>
    writeNamed(s, 1, schemes, (item, scheme) => {
      writeMessage(item, 2, scheme, (key, value) => {
        writeString(key, 1, value.type);
        writeString(key, 2, value.name);
        writeString(key, 3, value.in);
        writeString(key, 4, value.description);
      });
    }),
  );
}

function writePathItem(w: Writer, item: V2PathItem): void {
  writeMessage(w, 2, item.get, writeOperation);
  writeMessage(w, 3, item.put, writeOperation);
  writeMessage(w, 4, item.post, writeOperation);
  writeMessage(w, 5, item.delete, writeOperation);
  writeMessage(w, 6, item.options, writeOperation);
  writeMessage(w, 7, item.head, writeOperation);
  writeMessage(w, 8, item.patch, writeOperation);
  writeParameters(w, 9, item.parameters);
}

function writeOperation(w: Writer, operation: V2Operation): void {
  writeStrings(w, 1, operation.tags);
  writeString(w, 3, operation.description);
  writeString(w, 5, operation.operationId);
  writeStrings(w, 6, operation.produces);
  writeStrings(w, 7, operation.consumes);
  writeParameters(w, 8, operation.parameters);
  writeMessage(w, 9, operation.responses, (responses, byCode) =>
    writeNamed(responses, 1, byCode, (value, response) => {
      writeMessage(value, 1, response, (r, { description, schema }) => {
        writeString(r, 1, description);
        writeMessage(r, 2, schema, (item, s) => writeMessage(item, 1, s, writeSchema));
      });
    }),
  );
  writeStrings(w, 10, operation.schemes);
  writeExtensions(w, 13, operation);
}

/** Each stands in two choices: a parameter and not a reference to one, with a body or in path or query. */
function writeParameters(w: Writer, field: number, parameters: readonly V2Parameter[] | undefined): void {
  for (const parameter of parameters ?? [])
    writeMessage(w, field, parameter, (item, p) => writeMessage(item, 1, p, writeParameter));
}

function writeParameter(w: Writer, parameter: V2Parameter): void {
  if (parameter.in === 'body') writeMessage(w, 1, parameter, writeBodyParameter);
  else if (parameter.in === 'query')
    writeMessage(w, 2, parameter, (item, p) => writeMessage(item, 3, p, writeQueryParameter));
  else writeMessage(w, 2, parameter, (item, p) => writeMessage(item, 4, p, writePathParameter));
}

function writeBodyParameter(w: Writer, parameter: V2Parameter): void {
  writeString(w, 1, parameter.description);
  writeString(w, 2, parameter.name);
  writeString(w, 3, parameter.in);
  writeBool(w, 4, parameter.required);
  writeMessage(w, 5, parameter.schema, writeSchema);
}

function writeQueryParameter(w: Writer, parameter: V2Parameter): void {
  writePlace(w, parameter);
  writeString(w, 6, parameter.type);
  writeBool(w, 20, parameter.uniqueItems);
}

function writePathParameter(w: Writer, parameter: V2Parameter): void {
  writePlace(w, parameter);
  writeString(w, 5, parameter.type);
  writeBool(w, 19, parameter.uniqueItems);
}

function writePlace(w: Writer, parameter: V2Parameter): void {
  writeBool(w, 1, parameter.required);
  writeString(w, 2, parameter.in);
  writeString(w, 3, parameter.description);
  writeString(w, 4, parameter.name);
}

function writeSchema(w: Writer, schema: JsonSchema): void {
  writeString(w, 1, schema.$ref);
  writeString(w, 2, schema.format);
  writeString(w, 4, schema.description);
  writeMessage(w, 5, schema.default, writeAny);
  writeStrings(w, 19, schema.required);
  writeAnys(w, 20, schema.enum);
  writeMessage(w, 21, schema.additionalProperties, (item, value) => writeMessage(item, 1, value, writeSchema));
  writeMessage(w, 22, schema.type, (item, value) => writeString(item, 1, value));
  writeMessage(w, 23, schema.items, (item, value) => writeMessage(item, 1, value, writeSchema));
  writeMessage(w, 25, schema.properties, (properties, value) => writeNamed(properties, 1, value, writeSchema));
  writeExtensions(w, 31, schema);
}

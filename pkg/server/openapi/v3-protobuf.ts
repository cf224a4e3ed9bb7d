import type { JsonSchema } from './json-schema.ts';
import {
  bytesOf,
  fieldOf,
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
import {
  type V3Content,
  type V3Head,
  type V3Operation,
  type V3Parameter,
  type V3PathItem,
  v3Security,
  v3SecuritySchemes,
} from './v3.ts';

/**
 * OpenAPI v3 documents in the protobuf form of the gnostic project, message `openapi.v3.Document`; see
 * `v2-protobuf.ts`.
 */

/** One entry of `paths`, with its tag. */
export function v3PathBytes(path: string, item: V3PathItem): Uint8Array {
  return bytesOf((w) => writeMessage(w, 1, item, (inner, value) => writeEntry(inner, path, value, writePathItem)));
}

/** One entry of `components.schemas`, with its tag. */
export function v3DefinitionBytes(name: string, schema: JsonSchema): Uint8Array {
  return bytesOf((w) =>
    writeMessage(w, 1, schema, (inner, value) => writeEntry(inner, name, value, writeSchemaOrReference)),
  );
}

/** The whole document from its encoded paths and schemas. */
export function v3DocumentBytes(
  head: V3Head,
  paths: readonly Uint8Array[],
  schemas: readonly Uint8Array[],
): Uint8Array {
  const first = bytesOf((w) => {
    writeString(w, 1, head.openapi);
    writeMessage(w, 2, head.info, (info, { title, version }) => {
      writeString(info, 1, title);
      writeString(info, 6, version);
    });
  });
  const securitySchemes = bytesOf((w) =>
    writeMessage(w, 7, v3SecuritySchemes, (s, schemes) =>
      writeNamed(s, 1, schemes, (item, scheme) => {
        writeMessage(item, 1, scheme, (key, value) => {
          writeString(key, 1, value.type);
          writeString(key, 2, value.description);
          writeString(key, 3, value.name);
          writeString(key, 4, value.in);
        });
      }),
    ),
  );
  const security = bytesOf((w) => {
    for (const requirement of v3Security) {
      writeMessage(w, 6, requirement, (r, names) =>
        writeNamed(r, 1, names, (list, values) => writeStrings(list, 1, values)),
      );
    }
  });
  return Buffer.concat([
    first,
    ...fieldOf(4, paths),
    ...fieldOf(5, [...fieldOf(1, schemas), securitySchemes]),
    security,
  ]);
}

function writePathItem(w: Writer, item: V3PathItem): void {
  writeMessage(w, 4, item.get, writeOperation);
  writeMessage(w, 5, item.put, writeOperation);
  writeMessage(w, 6, item.post, writeOperation);
  writeMessage(w, 7, item.delete, writeOperation);
  writeMessage(w, 8, item.options, writeOperation);
  writeMessage(w, 9, item.head, writeOperation);
  writeMessage(w, 10, item.patch, writeOperation);
  writeParameters(w, 13, item.parameters);
}

function writeOperation(w: Writer, operation: V3Operation): void {
  writeStrings(w, 1, operation.tags);
  writeString(w, 3, operation.description);
  writeString(w, 5, operation.operationId);
  writeParameters(w, 6, operation.parameters);
  writeMessage(w, 7, operation.requestBody, (choice, body) =>
    writeMessage(choice, 1, body, (b, { content, required }) => {
      writeMessage(b, 2, content, writeContent);
      writeBool(b, 3, required);
    }),
  );
  writeMessage(w, 8, operation.responses, (responses, byCode) =>
    writeNamed(responses, 2, byCode, (choice, response) => {
      writeMessage(choice, 1, response, (r, { description, content }) => {
        writeString(r, 1, description);
        writeMessage(r, 3, content, writeContent);
      });
    }),
  );
  writeExtensions(w, 13, operation);
}

function writeContent(w: Writer, content: V3Content): void {
  writeNamed(w, 1, content, (mediaType, { schema }) => writeMessage(mediaType, 1, schema, writeSchemaOrReference));
}

function writeParameters(w: Writer, field: number, parameters: readonly V3Parameter[] | undefined): void {
  for (const parameter of parameters ?? [])
    writeMessage(w, field, parameter, (choice, p) => writeMessage(choice, 1, p, writeParameter));
}

function writeParameter(w: Writer, parameter: V3Parameter): void {
  writeString(w, 1, parameter.name);
  writeString(w, 2, parameter.in);
  writeString(w, 3, parameter.description);
  writeBool(w, 4, parameter.required);
  writeMessage(w, 10, parameter.schema, (choice, { type, uniqueItems }) =>
    writeMessage(choice, 1, type, (s, value) => {
      writeBool(s, 20, uniqueItems);
      writeString(s, 25, value);
    }),
  );
}

function writeSchemaOrReference(w: Writer, schema: JsonSchema): void {
  if (schema.$ref === undefined) writeMessage(w, 1, schema, writeSchema);
  else writeMessage(w, 2, schema.$ref, (reference, value) => writeString(reference, 1, value));
}

function writeSchema(w: Writer, schema: JsonSchema): void {
  writeStrings(w, 23, schema.required);
  writeAnys(w, 24, schema.enum);
  writeString(w, 25, schema.type);
  for (const part of schema.allOf ?? []) writeMessage(w, 26, part, writeSchemaOrReference);
  for (const part of schema.oneOf ?? []) writeMessage(w, 27, part, writeSchemaOrReference);
  writeMessage(w, 30, schema.items, (items, value) => writeMessage(items, 1, value, writeSchemaOrReference));
  writeMessage(w, 31, schema.properties, (properties, value) =>
    writeNamed(properties, 1, value, writeSchemaOrReference),
  );
  writeMessage(w, 32, schema.additionalProperties, (item, value) =>
    writeMessage(item, 1, value, writeSchemaOrReference),
  );
  if (typeof schema.default !== 'object') writeMessage(w, 33, schema.default, writeDefault);
  writeString(w, 34, schema.description);
  writeString(w, 35, schema.format);
  writeExtensions(w, 36, schema);
}

/** Plain values alone have a place; the empty object that stands for a struct has none. A choice keeps zero values. */
function writeDefault(w: Writer, value: unknown): void {
  if (typeof value === 'number') w.uint32(9).double(value);
  else if (typeof value === 'boolean') w.uint32(16).bool(value);
  else if (typeof value === 'string') w.uint32(26).string(value);
}

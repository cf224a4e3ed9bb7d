import { parseJson, stringifyJson } from '../apimachinery/json/json.ts';
import { messageOfKind } from './messages.ts';
import { normalize } from './normalize.ts';
import { decodeEnvelope, hasMagic } from './protobuf/envelope.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf/protobuf-codec.ts';
import { schemaOf } from './schemas.ts';
import { parseYaml, toYaml } from './yaml.ts';

export const formats = ['json', 'yaml', 'protobuf'] as const;
export type Format = (typeof formats)[number];

interface TypedObject {
  apiVersion: string;
  kind: string;
}

/**
 * Converts one object from a form into another; `from` is detected when not given. Throws an Error whose message is for
 * a person. `onLost` is called with the path of each field that has no place in protobuf.
 */
export function convertObject(
  input: Uint8Array,
  from: Format | undefined,
  to: Format,
  onLost?: (path: string) => void,
): Uint8Array {
  const object = read(input, from ?? recognize(input));
  switch (to) {
    case 'json':
      return Buffer.from(`${stringifyJson(object)}\n`);
    case 'yaml':
      return Buffer.from(toYaml(object));
    case 'protobuf':
      return writeProtobuf(object, onLost);
  }
}

function recognize(input: Uint8Array): Format {
  if (hasMagic(input)) return 'protobuf';
  return Buffer.from(input.subarray(0, 1024)).toString().trimStart().startsWith('{') ? 'json' : 'yaml';
}

function read(input: Uint8Array, from: Format): TypedObject {
  if (from === 'protobuf') return readProtobuf(input);
  const parsed = from === 'json' ? parseJson(input) : parseYaml(Buffer.from(input).toString());
  const { apiVersion, kind } = (parsed ?? {}) as Partial<TypedObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new Error('the input has no apiVersion and kind');
  return parsed as TypedObject;
}

function readProtobuf(input: Uint8Array): TypedObject {
  const { apiVersion, kind, raw, contentType } = decodeEnvelope(withoutNewline(input));
  // Envelopes may hold JSON; stock servers write it for kinds without a protobuf form.
  if (contentType.startsWith('application/json')) return parseJson(raw) as TypedObject;
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined)
    throw new Error(`no kind ${JSON.stringify(kind)} is known in version ${JSON.stringify(apiVersion)}`);
  return decodeProtobuf<TypedObject>(message, raw, apiVersion, kind);
}

/** Programs that print a stored value append a newline. An envelope ends with its empty content type. */
function withoutNewline(input: Uint8Array): Uint8Array {
  return Buffer.from(input.subarray(-3)).equals(Buffer.from([0x22, 0, 0x0a])) ? input.subarray(0, -1) : input;
}

function writeProtobuf(object: TypedObject, onUnknown?: (path: string) => void): Uint8Array {
  const message = messageOfKind(object.apiVersion, object.kind);
  if (message?.write === undefined)
    throw new Error(
      `kind ${JSON.stringify(object.kind)} of version ${JSON.stringify(object.apiVersion)} has no protobuf form`,
    );
  return encodeProtobuf(
    message,
    object.apiVersion,
    object.kind,
    normalize<object>(object, schemaOf(message.message), { onUnknown }),
  );
}

import type { ApiObject } from '../../apimachinery/object.ts';
import { stringifyJson } from '../../apimachinery/json.ts';
import { messageOf } from '../../codec/messages.ts';
import { encodeMessage } from '../../codec/protobuf/protobuf-codec.ts';
import { schemaOf } from '../../codec/schemas.ts';
import type { Representation } from '../../storage/cacher/cached-object.ts';
import type { FormTarget } from './object-form.ts';

/** `PartialObjectMetadata` of a version of the meta group: an object's metadata alone. */
export function partialTarget(version: 'v1' | 'v1beta1'): FormTarget {
  return {
    groupVersion: `meta.k8s.io/${version}`,
    kind: 'PartialObjectMetadata',
    schema: schemaOf('meta/v1.PartialObjectMetadata'),
    message: messageOf('meta/v1.PartialObjectMetadata'),
  };
}

/** With `kind` and `apiVersion`, since items of a list of unknown kinds carry them. */
export function partialJsonItem(version: 'v1' | 'v1beta1'): Representation {
  return {
    key: `partial/${version};json`,
    cacheable: true,
    encode: (object) => Buffer.from(stringifyJson(partialDocument(object.object(), version))),
  };
}

export function partialProtobufItem(target: FormTarget): Representation {
  return {
    key: `${target.groupVersion}.partial;protobuf`,
    cacheable: true,
    encode: (object) => encodeMessage(target.message, { metadata: object.object().metadata }),
  };
}

export function partialDocument(object: ApiObject, version: 'v1' | 'v1beta1'): object {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

import type { ApiObject, ObjectMeta } from '../../apimachinery/meta/object.ts';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { messageOf } from '../../codec/messages.ts';
import { encodeMessage } from '../../codec/protobuf/protobuf-codec.ts';
import { schemaOf } from '../../codec/schemas.ts';
import type { Representation } from '../../storage/cacher/cached-object.ts';
import type { FormTarget } from './object-form.ts';

/** `PartialObjectMetadata` of a version of the meta group: only an object's metadata. */
export function partialTarget(version: 'v1' | 'v1beta1'): FormTarget {
  return {
    groupVersion: `meta.k8s.io/${version}`,
    kind: 'PartialObjectMetadata',
    schema: schemaOf('meta/v1.PartialObjectMetadata'),
    message: messageOf('meta/v1.PartialObjectMetadata'),
  };
}

/** With `kind` and `apiVersion`, since items of a list of unknown kinds carry them. */
export function partialJsonItem(version: 'v1' | 'v1beta1', hidden: readonly string[] = []): Representation {
  return {
    key: `partial/${version};json`,
    cacheable: true,
    encode: (object) => Buffer.from(stringifyEscaped(partialDocument(object.object(), version, hidden))),
  };
}

export function partialProtobufItem(target: FormTarget, hidden: readonly string[] = []): Representation {
  return {
    key: `${target.groupVersion}.partial;protobuf`,
    cacheable: true,
    encode: (object) => encodeMessage(target.message, { metadata: shownMetadata(object.object(), hidden) }),
  };
}

function partialDocument(object: ApiObject, version: 'v1' | 'v1beta1', hidden: readonly string[]): object {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: shownMetadata(object, hidden),
  };
}

function shownMetadata({ metadata }: ApiObject, hidden: readonly string[]): ObjectMeta {
  const { annotations, ...rest } = metadata;
  if (annotations === undefined || !hidden.some((key) => Object.hasOwn(annotations, key))) return metadata;
  const shown = Object.fromEntries(Object.entries(annotations).filter(([key]) => !hidden.includes(key)));
  return Object.keys(shown).length === 0 ? rest : { ...rest, annotations: shown };
}

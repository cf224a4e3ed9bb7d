import type { VersionedResource } from '../../api/scheme.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { fromHub } from '../../api/scheme.ts';
import type { Representation } from '../../storage/cacher/cached-object.ts';
import { JsonForm } from './json-form.ts';
import { jsonItem, protobufItem, type ObjectForm } from './object-form.ts';
import { PartialJsonForm } from './partial-json-form.ts';
import { partialProtobufItem, partialTarget } from './partial-metadata.ts';
import { ProtobufForm } from './protobuf-form.ts';
import { parseIncludeObject, TableForm } from './table-form.ts';

interface CachedForms {
  json?: ObjectForm;
  protobuf?: ObjectForm;
}

// Process-wide: a form depends on its target alone, which belongs to one server's registry.
const forms = new WeakMap<VersionedResource, CachedForms>();
// Process-wide: a form of metadata depends on its key alone.
const partialForms = new Map<string, ObjectForm>();

/** The form for what was negotiated. YAML and pretty JSON are made from the JSON form's bytes by the responder. */
export function formFor(target: VersionedResource, accepted: Accepted, includeObject: string | null): ObjectForm {
  const { transform } = accepted;
  if (transform?.as === 'Table')
    return new TableForm(
      transform.version,
      target.definition.table,
      parseIncludeObject(includeObject),
      fullJsonItem(target),
      target.definition.hiddenAnnotations ?? [],
    );
  if (transform !== undefined)
    return partialForm(transform.version, accepted.media === 'protobuf', target.definition.hiddenAnnotations ?? []);
  let known = forms.get(target);
  if (known === undefined) forms.set(target, (known = {}));
  if (accepted.media === 'protobuf') return (known.protobuf ??= new ProtobufForm(target, protobufItem(target)));
  return (known.json ??= new JsonForm(target, jsonItem(target)));
}

function partialForm(version: 'v1' | 'v1beta1', protobuf: boolean, hidden: readonly string[]): ObjectForm {
  const key = [version, protobuf, ...hidden].join(';');
  let form = partialForms.get(key);
  if (form === undefined) {
    const target = partialTarget(version);
    form = protobuf
      ? new ProtobufForm(target, partialProtobufItem(target, hidden))
      : new PartialJsonForm(version, hidden);
    partialForms.set(key, form);
  }
  return form;
}

/** The whole object with its type, as tables include it. */
function fullJsonItem(target: VersionedResource): Representation {
  return {
    key: `${target.groupVersion};full`,
    cacheable: false,
    encode: (object) => Buffer.from(stringifyEscaped(fromHub(target, object.object()))),
  };
}

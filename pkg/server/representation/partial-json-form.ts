import { JsonForm } from './json-form.ts';
import { utf8, type ListFraming, type ListMeta } from './object-form.ts';
import { partialJsonItem, partialTarget } from './partial-metadata.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';

const newline = utf8('\n');
const frameTail = utf8('}\n');

/** `PartialObjectMetadata` as JSON: items are whole objects already. */
export class PartialJsonForm extends JsonForm {
  constructor(version: 'v1' | 'v1beta1', hidden: readonly string[]) {
    super(partialTarget(version), partialJsonItem(version, hidden));
  }

  /** Clients know an empty list of this kind by its null items. */
  override list(meta: ListMeta): ListFraming {
    const framing = super.list(meta);
    const head = Buffer.from(framing.head(0)).toString();
    return { ...framing, empty: utf8(`${head.slice(0, head.lastIndexOf('['))}null}\n`) };
  }

  override single(object: CachedObject): Uint8Array[] {
    return [object.bytes(this.item), newline];
  }

  override frame(type: WatchEventType, object: CachedObject): Uint8Array {
    return Buffer.concat([utf8(`{"type":"${type}","object":`), object.bytes(this.item), frameTail]);
  }
}

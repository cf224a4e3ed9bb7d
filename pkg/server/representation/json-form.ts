import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { normalize } from '../../codec/normalize.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';
import {
  bookmarkMetadata,
  utf8,
  type FormTarget,
  type ItemRepresentation,
  type ListFraming,
  type ListMeta,
  type ObjectForm,
} from './object-form.ts';

const newline = utf8('\n');
const comma = utf8(',');
const listTail = utf8(']}\n');
const frameTail = utf8('}\n');

/** Plain JSON; everything is put together from cached item bytes. */
export class JsonForm implements ObjectForm {
  readonly contentType = 'application/json';
  readonly watchContentType = 'application/json';
  readonly item: ItemRepresentation;
  private readonly target: FormTarget;
  /** `{"kind":...,"apiVersion":...,` in place of an item's opening brace. */
  private readonly open: Uint8Array;
  private readonly framePrefix: Readonly<Record<WatchEventType, Uint8Array>>;

  constructor(target: FormTarget, item: ItemRepresentation) {
    this.target = target;
    this.item = item;
    const open = `{"kind":${JSON.stringify(target.kind)},"apiVersion":${JSON.stringify(target.groupVersion)},`;
    this.open = utf8(open);
    const prefix = (type: WatchEventType): Uint8Array => utf8(`{"type":"${type}","object":${open}`);
    this.framePrefix = { ADDED: prefix('ADDED'), MODIFIED: prefix('MODIFIED'), DELETED: prefix('DELETED') };
  }

  single(object: CachedObject): Uint8Array[] {
    return [this.open, object.bytes(this.item).subarray(1), newline];
  }

  list(meta: ListMeta): ListFraming {
    const head = `{"kind":${JSON.stringify(`${this.target.kind}List`)},"apiVersion":${JSON.stringify(this.target.groupVersion)},"metadata":${JSON.stringify(meta)},"items":[`;
    const bytes = utf8(head);
    return { head: () => bytes, separator: comma, tail: listTail };
  }

  frame(type: WatchEventType, object: CachedObject): Uint8Array {
    return Buffer.concat([this.framePrefix[type], object.bytes(this.item).subarray(1), frameTail]);
  }

  bookmark(revision: number, endOfInitialEvents: boolean): Uint8Array {
    const object = normalize<object>({ metadata: bookmarkMetadata(revision, endOfInitialEvents) }, this.target.schema);
    return utf8(
      `${stringifyEscaped({ type: 'BOOKMARK', object: { kind: this.target.kind, apiVersion: this.target.groupVersion, ...object } })}\n`,
    );
  }

  errorFrame(status: object): Uint8Array {
    return utf8(`${stringifyEscaped({ type: 'ERROR', object: status })}\n`);
  }
}

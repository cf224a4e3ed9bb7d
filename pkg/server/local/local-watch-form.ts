import type { VersionedResource } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Status } from '../../apimachinery/errors/status-error.ts';
import type { WatchEvent } from '../../client/rest/client.ts';
import type { CachedObject, Representation } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';
import type { Frame } from '../../storage/cacher/frame-batch.ts';
import type { WatchForm } from '../verbs/watch.ts';
import { objectIn } from './object-in.ts';

/** An event as callers in this process get it, or why the watch ends. */
export interface LocalFrame extends Frame {
  readonly event?: WatchEvent<ApiObject>;
  readonly status?: Status;
}

/** The size of a frame without an object. */
const SMALL_FRAME_BYTES = 64;

// Process-wide: a form depends on its target alone, which belongs to one server's registry.
const forms = new WeakMap<VersionedResource, WatchForm>();

/** Frames with objects in the version of `target`, one for all callers with the same watch. */
export function localWatchForm(target: VersionedResource): WatchForm {
  let form = forms.get(target);
  if (form === undefined) forms.set(target, (form = new LocalWatchForm(target)));
  return form;
}

class LocalWatchForm implements WatchForm {
  readonly watchContentType = '';
  readonly item: Representation;
  private readonly target: VersionedResource;

  constructor(target: VersionedResource) {
    this.target = target;
    this.item = {
      key: `${target.groupVersion};object`,
      cacheable: true,
      encode: () => {
        throw new Error('objects for callers in this process are not encoded');
      },
    };
  }

  frame(type: WatchEventType, object: CachedObject): LocalFrame {
    return { length: object.value.length, event: { type, object: objectIn(this.target, object.object()) } };
  }

  bookmark(revision: number, initial: boolean): LocalFrame {
    return { length: SMALL_FRAME_BYTES, event: { type: 'BOOKMARK', resourceVersion: String(revision), initial } };
  }

  errorFrame(status: object): LocalFrame {
    return { length: SMALL_FRAME_BYTES, status: status as Status };
  }
}

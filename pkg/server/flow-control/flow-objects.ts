import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../api/flowcontrol/mandatory-objects.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../generated/types/flowcontrol-v1.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ChangeListener } from '../../storage/cacher/change-listener.ts';

/** The followed part of a resource's cache. */
interface FollowedCache<T extends ApiObject> {
  listen(listener: ChangeListener): void;
  snapshot(): { values(): Iterable<CachedObject<T>> };
}

/** The objects of priority and fairness, as the watch cache has them. */
export class FlowObjects {
  private readonly schemas: FollowedCache<FlowSchema>;
  private readonly levels: FollowedCache<PriorityLevelConfiguration>;
  private readonly onChange: () => void;
  private readonly onError: (error: unknown) => void;
  private scheduled = false;

  /** `onChange` is called at the end of a turn in which something changed. */
  constructor(
    schemas: FollowedCache<FlowSchema>,
    levels: FollowedCache<PriorityLevelConfiguration>,
    onChange: () => void,
    onError: (error: unknown) => void,
  ) {
    this.schemas = schemas;
    this.levels = levels;
    this.onChange = onChange;
    this.onError = onError;
    const changed = (): void => this.schedule();
    for (const cache of [schemas, levels]) cache.listen({ reset: changed, changed });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.onChange();
    });
  }

  /** The mandatory ones exist even right after a client has deleted them. */
  flowSchemas(): FlowSchema[] {
    return withMandatory(
      this.read(this.schemas),
      MANDATORY_FLOW_SCHEMAS,
      (name, spec) => ({ metadata: { name }, spec, status: {} }) as FlowSchema,
    );
  }

  priorityLevels(): PriorityLevelConfiguration[] {
    return withMandatory(
      this.read(this.levels),
      MANDATORY_PRIORITY_LEVELS,
      (name, spec) => ({ metadata: { name }, spec, status: {} }) as PriorityLevelConfiguration,
    );
  }

  private read<T extends ApiObject>(cache: FollowedCache<T>): T[] {
    const objects: T[] = [];
    for (const cached of cache.snapshot().values()) {
      try {
        objects.push(cached.object());
      } catch (error) {
        // An unreadable one does not affect the others.
        this.onError(error);
      }
    }
    return objects;
  }
}

function withMandatory<T extends { metadata: { name?: string } }, Spec>(
  objects: T[],
  mandatory: ReadonlyMap<string, Spec>,
  make: (name: string, spec: Spec) => T,
): T[] {
  const present = new Set(objects.map(({ metadata }) => metadata.name));
  return [...objects, ...[...mandatory].flatMap(([name, spec]) => (present.has(name) ? [] : [make(name, spec)]))];
}

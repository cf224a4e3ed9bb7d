import type { FlowSchema, FlowSchemaCondition } from '../../generated/types/flowcontrol-v1.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { changeOwnStatus } from '../../registry/own-writes.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { GatheredRounds } from '../gathered-rounds.ts';

const SCHEMAS = 'flowschemas.flowcontrol.apiserver.k8s.io';
const LEVELS = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';

/**
 * Says of each flow schema whether its priority level exists. Several servers may do it at once: all come to the same,
 * and what is there already is not written again.
 */
export class DanglingCondition {
  private readonly schemas: ResourceStore;
  private readonly levels: ResourceStore;
  private readonly onError: (error: unknown) => void;
  private readonly rounds: GatheredRounds;

  constructor(stores: StoreAccess, onError: (error: unknown) => void) {
    this.schemas = stores(SCHEMAS);
    this.levels = stores(LEVELS);
    this.onError = onError;
    this.rounds = new GatheredRounds(() => this.setAll(), onError);
    const changed = (): void => this.rounds.schedule();
    for (const { cache } of [this.schemas, this.levels]) cache.listen({ reset: changed, changed });
  }

  /** Looks at all schemas once, by what the store holds now. */
  async settle(): Promise<void> {
    await this.schemas.cacher.fresh();
    await this.levels.cacher.fresh();
    await this.setAll();
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async setAll(): Promise<void> {
    for (const cached of this.schemas.cache.snapshot().values()) {
      if (this.rounds.stopped) return;
      try {
        await this.set(cached.name, cached.object() as FlowSchema);
      } catch (error) {
        // One that cannot be read or written holds up none of the others.
        if (!isNotFound(error)) this.onError(error);
      }
    }
  }

  private async set(name: string, schema: FlowSchema): Promise<void> {
    const wanted = this.conditionFor(schema);
    if (isSaid(schema, wanted)) return;
    await changeOwnStatus<FlowSchema>(this.schemas, '', name, (current) => {
      const before = current.status.conditions?.find(({ type }) => type === wanted.type);
      if (isSaid(current, wanted)) return;
      const lastTransitionTime =
        before !== undefined && before.status === wanted.status
          ? before.lastTransitionTime
          : `${new Date().toISOString().slice(0, 19)}Z`;
      current.status.conditions = [
        ...(current.status.conditions ?? []).filter((condition) => condition !== before),
        { ...wanted, lastTransitionTime },
      ];
    });
  }

  private conditionFor({ spec }: FlowSchema): Omit<FlowSchemaCondition, 'lastTransitionTime'> {
    const level = spec.priorityLevelConfiguration.name ?? '';
    const exists = this.levels.cache.get(this.levels.keyOf('', level)) !== undefined;
    const what = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
    return exists
      ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${what} and it exists` }
      : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${what} but there is no such object` };
  }
}

function isSaid({ status }: FlowSchema, wanted: Omit<FlowSchemaCondition, 'lastTransitionTime'>): boolean {
  const found = status.conditions?.find(({ type }) => type === wanted.type);
  return found?.status === wanted.status && found?.reason === wanted.reason && found?.message === wanted.message;
}

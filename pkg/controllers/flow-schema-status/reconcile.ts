import { formatTime } from '../../apimachinery/values/time.ts';
import type { FlowSchema, FlowSchemaCondition } from '../../generated/types/flowcontrol-v1.ts';

export interface FlowSchemaSteps {
  readonly schemaOf: (name: string) => FlowSchema | undefined;
  readonly hasLevel: (name: string) => boolean;
  readonly updateStatus: (schema: FlowSchema) => Promise<unknown>;
  readonly nowMs: number;
}

/** Says of one flow schema whether its priority level exists; what is said already is not written again. */
export async function reconcile(name: string, steps: FlowSchemaSteps): Promise<void> {
  const schema = steps.schemaOf(name);
  if (schema === undefined) return;
  const level = levelOf(schema);
  const wanted = danglingCondition(level, steps.hasLevel(level));
  const conditions = schema.status.conditions ?? [];
  const before = conditions.find(({ type }) => type === wanted.type);
  const isSameStatus = before !== undefined && before.status === wanted.status;
  if (isSameStatus && before.reason === wanted.reason && before.message === wanted.message) return;
  const lastTransitionTime = isSameStatus ? before.lastTransitionTime : formatTime(new Date(steps.nowMs));
  const others = conditions.filter((condition) => condition !== before);
  await steps.updateStatus({
    ...schema,
    status: { ...schema.status, conditions: [...others, { ...wanted, lastTransitionTime }] },
  });
}

export function levelOf({ spec }: FlowSchema): string {
  return spec.priorityLevelConfiguration.name ?? '';
}

function danglingCondition(level: string, exists: boolean): Omit<FlowSchemaCondition, 'lastTransitionTime'> {
  const what = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${what} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${what} but there is no such object` };
}

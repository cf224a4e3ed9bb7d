import type {
  FlowSchema,
  FlowSchemaSpec,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  Subject,
} from '../../generated/types/flowcontrol-v1.ts';
import { FlowController } from './flow-controller.ts';

/** For tests: schemas, levels, and a controller on a clock of the test's. */

export const everyResource = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};
export const everyPath = { verbs: ['*'], nonResourceURLs: ['*'] };

export function schemaOf(
  name: string,
  matchingPrecedence: number,
  level: string,
  subjects: Subject[],
  more: Partial<FlowSchemaSpec> = {},
): FlowSchema {
  return {
    metadata: { name, uid: `uid-of-${name}` },
    spec: {
      matchingPrecedence,
      priorityLevelConfiguration: { name: level },
      rules: [{ subjects, resourceRules: [everyResource], nonResourceRules: [everyPath] }],
      ...more,
    },
    status: {},
  };
}

export function levelOf(name: string, spec: PriorityLevelConfigurationSpec): PriorityLevelConfiguration {
  return { metadata: { name, uid: `uid-of-${name}` }, spec, status: {} };
}

export function limited(
  nominalConcurrencyShares: number,
  queues: number,
  { lendablePercent = 0, borrowingLimitPercent = undefined as number | undefined, queueLengthLimit = 50 } = {},
): PriorityLevelConfigurationSpec {
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares,
      lendablePercent,
      ...(borrowingLimitPercent === undefined ? {} : { borrowingLimitPercent }),
      limitResponse:
        queues === 0
          ? { type: 'Reject' }
          : { type: 'Queue', queuing: { queues, handSize: Math.min(4, queues), queueLengthLimit } },
    },
  };
}

/** Everything that was observed, by level and schema. */
export class ControllerScene {
  now = 0;
  readonly observed: string[] = [];
  readonly controller: FlowController;

  constructor(totalSeats: number, schemas: readonly FlowSchema[], levels: readonly PriorityLevelConfiguration[]) {
    const note = (text: string): void => void this.observed.push(text);
    this.controller = new FlowController(
      {
        totalSeats,
        clock: () => this.now,
        later: (run) => run(),
        observer: {
          flow: (schema, level) => ({
            enqueued: (length) => note(`${schema}/${level} enqueued ${length}`),
            waited: (executed, seconds) => note(`${schema}/${level} waited ${executed} ${seconds}`),
            executed: (kind, seconds) => note(`${schema}/${level} executed ${kind} ${seconds}`),
            estimated: () => undefined,
          }),
          levelChanged: () => undefined,
          kindLasted: () => undefined,
        },
      },
      schemas,
      levels,
    );
  }

  level(name: string) {
    const found = [...this.controller.levels].find((level) => level.name === name);
    if (found === undefined) throw new Error(`no level ${name}`);
    return found;
  }
}

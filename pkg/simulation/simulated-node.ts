import type { Node } from '../generated/types/core-v1.ts';

/** Of a node whose pods do everything at once; clusters that are written for kwok have it. */
const FAST = 'kwok.x-k8s.io/node';
/** Of a node that is simulated here: `true`. */
export const SIMULATED = 'simulation.binnacle.io/node';
/** Of a simulated node that has failed: it says nothing any more. */
export const FAILED = 'simulation.binnacle.io/failed';

type Behavior = 'fast' | 'simulated' | undefined;

/** How the pods of a node behave; undefined: it is no simulated one. */
export function behaviorOf({ metadata: { annotations } }: Node): Behavior {
  if (annotations?.[FAST] === 'fake') return 'fast';
  return annotations?.[SIMULATED] === 'true' ? 'simulated' : undefined;
}

export function hasFailed({ metadata }: Node): boolean {
  return metadata.annotations?.[FAILED] === 'true';
}

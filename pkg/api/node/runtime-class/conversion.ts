import type * as v1 from '../../../generated/types/node-v1.ts';
import type * as alpha from '../../../generated/types/node-v1alpha1.ts';

/** The alpha version has a spec, and calls the handler `runtimeHandler`. Nothing is lost in either direction. */

export function runtimeClassFromAlpha({ spec, ...rest }: alpha.RuntimeClass): v1.RuntimeClass {
  const { runtimeHandler, ...settings } = spec;
  return { ...rest, handler: runtimeHandler, ...settings };
}

export function runtimeClassToAlpha({ handler, overhead, scheduling, ...rest }: v1.RuntimeClass): alpha.RuntimeClass {
  const spec: alpha.RuntimeClassSpec = { runtimeHandler: handler };
  if (overhead !== undefined) spec.overhead = overhead;
  if (scheduling !== undefined) spec.scheduling = scheduling;
  return { ...rest, spec };
}

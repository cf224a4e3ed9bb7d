import type { Admission, AdmissionNotes, AdmissionRequest, Operation } from '../admission/admission.ts';
import type { StrategyContext } from '../api/resource-definition.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { ResourceStore } from './resource-store.ts';
import type { UndoSteps } from './undo-steps.ts';

/** The parts of every write besides its object. */
export interface WriteRequest {
  readonly namespace: string;
  /** Empty for creates. */
  readonly name: string;
  /** Name of the subresource, empty for the object itself. */
  readonly subresource: string;
  /** As in `AdmissionRequest`. */
  readonly verb?: string;
  readonly context: StrategyContext;
  readonly admission: Admission;
  /** CreateOptions and the like, as sent; undefined where the client sent none. */
  readonly requestOptions?: object;
  /** Takes warnings and audit annotations. */
  readonly notes: AdmissionNotes;
  /** As in `AdmissionRequest`. */
  readonly deadlineMs?: number;
  /** As in `AdmissionRequest`. */
  readonly insteadOfUpdate?: boolean;
}

export function admissionRequest(
  store: ResourceStore,
  write: WriteRequest,
  operation: Operation,
  object: ApiObject | undefined,
  oldObject: ApiObject | undefined,
  undo?: UndoSteps,
): AdmissionRequest {
  return {
    operation,
    definition: store.definition,
    groupVersion: write.context.requestVersion,
    subresource: write.subresource,
    namespace: write.namespace,
    name: write.name || (object?.metadata.name ?? ''),
    ...(write.insteadOfUpdate === true ? { insteadOfUpdate: true } : {}),
    object,
    oldObject,
    user: write.context.user,
    ...(write.verb === undefined ? {} : { verb: write.verb }),
    dryRun: write.context.dryRun,
    ...(write.requestOptions === undefined ? {} : { options: write.requestOptions }),
    notes: write.notes,
    deadlineMs: write.deadlineMs,
    ...(undo === undefined ? {} : { whenRefused: (step: () => Promise<void>) => undo.add(step) }),
  };
}

import { applyJsonPatch } from '../../apimachinery/patch/json-patch.ts';
import { applyMergePatch } from '../../apimachinery/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../apimachinery/patch/strategic-merge-patch.ts';
import { schemaOf } from '../../codec/schemas.ts';

export type PatchType = 'json' | 'merge' | 'strategic';

/** Data of one patch application; everything is structured-cloneable. */
export interface PatchTask {
  readonly type: PatchType;
  /** The object in the version of the request. */
  readonly document: unknown;
  readonly patch: unknown;
  /** Message name for strategic merge patch. */
  readonly message: string;
}

/** Applies a patch. Pure: inputs stay as they are. Throws `PatchError`. */
export function applyPatch(task: PatchTask): unknown {
  switch (task.type) {
    case 'json':
      return applyJsonPatch(task.document, task.patch);
    case 'merge':
      return applyMergePatch(task.document, task.patch);
    case 'strategic':
      return applyStrategicMergePatch(task.document, task.patch, schemaOf(task.message));
  }
}

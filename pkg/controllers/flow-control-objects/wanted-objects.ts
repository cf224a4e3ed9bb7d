import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../api/flowcontrol/mandatory-objects.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { SUGGESTED_FLOW_SCHEMAS, SUGGESTED_PRIORITY_LEVELS } from './suggested-objects.ts';

/** A priority level or a flow schema. */
export interface FlowObject extends ApiObject {
  spec: object;
  status: object;
}

/** What a server wants an object to be. */
export interface WantedObject {
  readonly spec: object;
  /** Owners may not change it. */
  readonly isMandatory: boolean;
}

export const wantedLevels = wanted(MANDATORY_PRIORITY_LEVELS, SUGGESTED_PRIORITY_LEVELS);
export const wantedSchemas = wanted(MANDATORY_FLOW_SCHEMAS, SUGGESTED_FLOW_SCHEMAS);

function wanted(
  mandatory: ReadonlyMap<string, object>,
  suggested: ReadonlyMap<string, object>,
): ReadonlyMap<string, WantedObject> {
  const entry =
    (isMandatory: boolean) =>
    ([name, spec]: [string, object]) =>
      [name, { spec, isMandatory }] as const;
  return new Map([...[...mandatory].map(entry(true)), ...[...suggested].map(entry(false))]);
}

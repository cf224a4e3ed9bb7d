/** The API type at a position of a patch, and the type's rules for its members. */
import type { FieldSchema, MessageSchema } from '../schema.ts';
import { PatchError } from './patch-error.ts';

/**
 * A value's type for merging: an API struct, a map whose values are alike, or data that the schema does not describe.
 */
export interface PatchPosition {
  /** For messages of errors. */
  readonly name: string;
  readonly message?: MessageSchema | undefined;
  /** The field whose values the map holds. */
  readonly mapOf?: FieldSchema | undefined;
}

/** What the schema says of one member. */
export interface MemberRules {
  /** Of the object, of the map, or of the list's items. */
  readonly position: PatchPosition;
  /** `merge`, `replace` or empty. */
  readonly strategy: string;
  readonly mergeKey: string;
}

const nameOfType = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

export function atMessage(message: MessageSchema): PatchPosition {
  return { name: nameOfType(message.name), message };
}

/** The rules of a member. Throws PatchError for an unknown one. */
export function lookupMember(position: PatchPosition, key: string): MemberRules {
  if (position.mapOf !== undefined) return { position: valueOf(position.mapOf), strategy: '', mergeKey: '' };
  const field = position.message?.field(key);
  if (field === undefined) {
    throw new PatchError(
      'inconsistent',
      `unable to find api field in struct ${position.name} for the json field "${key}"`,
    );
  }
  const strategy = (field.patchStrategy ?? '').split(',').find((name) => name !== 'retainKeys') ?? '';
  const inside = field.card === 'map' ? { name: `map[string]${field.kind}`, mapOf: field } : valueOf(field);
  return { position: inside, strategy, mergeKey: field.patchMergeKey ?? '' };
}

/** The type of one value of a field. */
function valueOf(field: FieldSchema): PatchPosition {
  if (field.message !== undefined) return atMessage(field.message);
  return { name: field.kind === 'raw' ? 'RawExtension' : field.kind };
}

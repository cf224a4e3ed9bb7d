import { fillSystemFields, prepareNew, validateNew } from '../../api/before-create.ts';
import { prepareChange, validateChange } from '../../api/before-update.ts';
import type { SubresourceDefinition } from '../../api/resource-definition.ts';
import { invalid } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { WriteAttempt } from './write-attempt.ts';

/** System fields, status, generation, and the kind's own preparation. A delete has marked its object already. */
export function prepare(attempt: WriteAttempt): void {
  const { store, intent, write } = attempt;
  const object = attempt.object!;
  if (intent.operation === 'CREATE') prepareNew(store.definition, object, write.context);
  else if (intent.operation === 'UPDATE')
    prepareChange(store.definition, subresourceOf(attempt), object, attempt.old!, write.context);
}

/** Throws 422. */
export function validate(attempt: WriteAttempt): void {
  const { store, intent, write } = attempt;
  if (intent.operation === 'DELETE') return;
  const object = attempt.object!;
  const errors =
    intent.operation === 'CREATE'
      ? validateNew(store.definition, object, write.context)
      : validateChange(store.definition, subresourceOf(attempt), object, attempt.old!, write.context);
  if (errors.length === 0) return;
  throw invalid(store.groupKind, attempt.old === undefined ? (object.metadata.name ?? '') : write.name, errors);
}

/**
 * The kind's warnings about a valid object. Status and other subresources have none; a change of scale counts as one of
 * the object.
 */
export function warn(attempt: WriteAttempt): void {
  const { store, intent, write } = attempt;
  if (intent.operation === 'DELETE' || store.definition.warnings === undefined) return;
  if (write.subresource !== '' && subresourceOf(attempt)?.scale === undefined) return;
  for (const text of store.definition.warnings(attempt.object!, attempt.old)) write.notes.warn(text);
}

/** System fields of a new object; hooks and plugins read them. */
export function nameNew(attempt: WriteAttempt): void {
  attempt.givenVersion = Number(attempt.object!.metadata.resourceVersion);
  fillSystemFields(attempt.object!, attempt.write.context);
}

function subresourceOf({ store, write }: WriteAttempt): SubresourceDefinition<ApiObject> | undefined {
  if (write.subresource === '') return undefined;
  return store.definition.subresources?.find((s) => s.name === write.subresource);
}

import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { DeviceClaim } from '../../../generated/types/resource-v1.ts';
import { validateSet } from '../bounded-items.ts';
import { validateRequestName } from '../device-names.ts';

const REFERENCES_MAX = 32;
const NO_SUCH_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The requests of a claim by name, each with the names of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNames({ requests }: DeviceClaim): RequestNames {
  return new Map(
    (requests ?? []).map(({ name, firstAvailable }) => [
      name,
      new Set((firstAvailable ?? []).map((alternative) => alternative.name)),
    ]),
  );
}

/** A request of the claim, or one of its alternatives: `gpu`, `gpu/large`. */
export function validateRequestReference(
  name: string,
  known: RequestNames,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const segments = name.split('/');
  if (segments.length > 2) return errors.invalid(path, name, NO_SUCH_REQUEST);
  for (const segment of segments) validateRequestName(segment, path, errors);
  const [request = '', alternative] = segments;
  const alternatives = known.get(request);
  if (alternatives === undefined || (alternative !== undefined && !alternatives.has(alternative)))
    errors.invalid(path, name, NO_SUCH_REQUEST);
}

export function validateRequestReferences(
  names: readonly string[] | undefined,
  known: RequestNames,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateSet(
    names,
    REFERENCES_MAX,
    (name, at) => validateRequestReference(name, known, at, errors),
    (name) => name,
    path,
    errors,
  );
}

import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';

/** Paths inside volumes and on nodes, as pods name them. */

const FILE_MODE_MAX = 0o777;

/** No element of the path is `..`. */
export function validatePathNoBacksteps(target: string, path: FieldPath, errors: FieldErrors): void {
  if (hasBackstep(target)) errors.invalid(path, target, "must not contain '..'");
}

export function hasBackstep(target: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(target);
}

/** Relative, and never leaves its directory. */
export function validateLocalDescendingPath(target: string, path: FieldPath, errors: FieldErrors): void {
  if (target.startsWith('/')) errors.invalid(path, target, 'must be a relative path');
  validatePathNoBacksteps(target, path, errors);
}

/** The same, and no name that starts with `..`: those are reserved for the node. */
export function validateLocalNonReservedPath(target: string, path: FieldPath, errors: FieldErrors): void {
  validateLocalDescendingPath(target, path, errors);
  if (target.startsWith('..') && !target.startsWith('../')) errors.invalid(path, target, "must not start with '..'");
}

export function validateFileMode(mode: number | undefined, path: FieldPath, errors: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > FILE_MODE_MAX))
    errors.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}

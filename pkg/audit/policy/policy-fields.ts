import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';

/**
 * One mapping of a policy file, read field by field. Absent fields and nulls are the same; a value of the wrong type is
 * reported and counts as absent.
 */
export class PolicyFields {
  private readonly fields: object;
  private readonly path: FieldPath;
  private readonly errors: FieldErrors;

  /** `known`: all valid fields. Others are reported: a misspelt condition would match every request. */
  constructor(value: unknown, path: FieldPath, errors: FieldErrors, known: readonly string[]) {
    this.path = path;
    this.errors = errors;
    const isMapping = value !== null && typeof value === 'object' && !Array.isArray(value);
    if (!isMapping) errors.typeInvalid(path, value ?? null, 'must be a mapping');
    this.fields = isMapping ? value : {};
    for (const name of Object.keys(this.fields)) {
      if (!known.includes(name)) errors.forbidden(path.child(name), 'unknown field');
    }
  }

  at(name: string): FieldPath {
    return this.path.child(name);
  }

  text(name: string): string {
    const value = this.value(name) ?? '';
    if (typeof value === 'string') return value;
    this.errors.typeInvalid(this.at(name), value, 'must be a string');
    return '';
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === 'boolean') return value;
    this.errors.typeInvalid(this.at(name), value, 'must be true or false');
    return undefined;
  }

  list(name: string): readonly unknown[] {
    const value = this.value(name) ?? [];
    if (Array.isArray(value)) return value;
    this.errors.typeInvalid(this.at(name), value, 'must be a list');
    return [];
  }

  texts(name: string): readonly string[] {
    return this.list(name).flatMap((item, i) => {
      if (typeof item === 'string') return [item];
      this.errors.typeInvalid(this.at(name).index(i), item, 'must be a string');
      return [];
    });
  }

  private value(name: string): unknown {
    return getKey(this.fields, name) ?? undefined;
  }
}

import type { FieldPath } from './field-path.ts';
import { goQuote, GoText, goValue } from '../values/go-format.ts';

/** Kinds of field errors, as `details.causes[].reason` names them. */
export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueNotFound'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

/** Replaces a rejected value that the error's text leaves out. */
export const OMIT_VALUE = Symbol('omitted value');

/** One error of one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** The path's text. */
  readonly field: string;
  readonly badValue?: unknown;
  readonly detail: string;
}

/** The words that open an error's text, and whether the rejected value follows them. */
const WORDS = {
  FieldValueRequired: { words: 'Required value', showsValue: false },
  FieldValueInvalid: { words: 'Invalid value', showsValue: true },
  FieldValueNotSupported: { words: 'Unsupported value', showsValue: true },
  FieldValueDuplicate: { words: 'Duplicate value', showsValue: true },
  FieldValueForbidden: { words: 'Forbidden', showsValue: false },
  FieldValueTooLong: { words: 'Too long', showsValue: false },
  FieldValueTooMany: { words: 'Too many', showsValue: true },
  FieldValueNotFound: { words: 'Not found', showsValue: true },
  InternalError: { words: 'Internal error', showsValue: false },
  FieldValueTypeInvalid: { words: 'Invalid value', showsValue: true },
} as const satisfies Record<FieldErrorType, { words: string; showsValue: boolean }>;

/** Errors kept per object: a body of three megabytes can be wrong in a million places. */
const ERRORS_MAX = 1000;
/** Characters of their paths, details and values: a thousand errors may each show the same megabyte. */
const TEXT_LENGTH_MAX = 1024 * 1024;

/** Collects the errors that validation finds, in their order; at most 1000. */
export class FieldErrors {
  readonly items: FieldError[] = [];
  private textLength = 0;

  get length(): number {
    return this.items.length;
  }

  /** No more errors are kept: the caller may stop looking for them. */
  get full(): boolean {
    return this.items.length >= ERRORS_MAX || this.textLength > TEXT_LENGTH_MAX;
  }

  required(path: FieldPath, detail = ''): void {
    this.push('FieldValueRequired', path, '', detail);
  }

  invalid(path: FieldPath, value: unknown, detail: string): void {
    this.push('FieldValueInvalid', path, value, detail);
  }

  /** `supported` is listed in the given order; Kubernetes mostly sorts it. */
  notSupported(path: FieldPath, value: unknown, supported: readonly string[]): void {
    const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
    this.push('FieldValueNotSupported', path, value, detail);
  }

  duplicate(path: FieldPath, value: unknown, detail = ''): void {
    this.push('FieldValueDuplicate', path, value, detail);
  }

  forbidden(path: FieldPath, detail: string): void {
    this.push('FieldValueForbidden', path, '', detail);
  }

  tooLong(path: FieldPath, value: unknown, maxBytes: number): void {
    this.push('FieldValueTooLong', path, value, `must have at most ${maxBytes} bytes`);
  }

  /** A negative `max` stands for an unknown limit. */
  tooMany(path: FieldPath, actual: number, max: number): void {
    const detail = max < 0 ? 'has too many items' : `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
    this.push('FieldValueTooMany', path, actual, detail);
  }

  notFound(path: FieldPath, value: unknown): void {
    this.push('FieldValueNotFound', path, value, '');
  }

  typeInvalid(path: FieldPath, value: unknown, detail: string): void {
    this.push('FieldValueTypeInvalid', path, value, detail);
  }

  internal(path: FieldPath, detail: string): void {
    this.push('InternalError', path, null, detail);
  }

  /** Appends all errors of another list. */
  add(other: FieldErrors): void {
    for (const item of other.items) this.take(item);
  }

  private push(type: FieldErrorType, path: FieldPath, badValue: unknown, detail: string): void {
    if (!this.full) this.take({ type, field: path.toString(), badValue, detail });
  }

  private take(error: FieldError): void {
    if (this.full) return;
    this.items.push(error);
    this.textLength += error.field.length + error.detail.length + lengthOf(error.badValue);
  }
}

/** Of a value's text, where its length is known without work; objects are counted where they are printed. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof GoText ? value.text.length : 0;
}

/** The error without its path: `Invalid value: "x": must be a number`. */
export function fieldErrorBody(error: FieldError): string {
  const { words, showsValue } = WORDS[error.type];
  const head = showsValue && error.badValue !== OMIT_VALUE ? `${words}: ${goValue(error.badValue)}` : words;
  return error.detail === '' ? head : `${head}: ${error.detail}`;
}

/** The whole error: `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** An error with its text. */
export interface PrintedError {
  readonly error: FieldError;
  readonly body: string;
}

/** The texts of all errors, up to a length; at least one where there is one. */
export function printedErrors(errors: FieldErrors): PrintedError[] {
  const printed: PrintedError[] = [];
  let length = 0;
  for (const error of errors.items) {
    const body = fieldErrorBody(error);
    printed.push({ error, body });
    length += error.field.length + body.length;
    if (length > TEXT_LENGTH_MAX) break;
  }
  return printed;
}

/** All errors in one text: each distinct one once, in brackets when there are several. */
export function aggregateText(errors: FieldErrors): string {
  return joinedErrors(printedErrors(errors));
}

export function joinedErrors(printed: readonly PrintedError[]): string {
  const texts = [...new Set(printed.map(({ error, body }) => `${error.field}: ${body}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/** Field selectors: `metadata.name=a,status.phase!=Running`, with backslash escapes for `\`, `,` and `=` in values. */
import { REQUIREMENTS_MAX, SELECTOR_LENGTH_MAX, TOO_MANY_REQUIREMENTS } from './label-selector.ts';

/** One condition: the field has, or has not, exactly this value. */
export interface FieldRequirement {
  readonly field: string;
  readonly op: '=' | '!=';
  readonly value: string;
}

/** All requirements hold together. Immutable. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  get empty(): boolean {
    return this.requirements.length === 0;
  }

  /** `fields` returns the value of a field, and the empty string for an absent one. */
  matches(fields: (name: string) => string): boolean {
    return this.requirements.every(({ field, op, value }) => (fields(field) === value) === (op === '='));
  }

  /** The value that the selector demands of a field, if it does. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.op === '=')?.value;
  }

  /** The string form; parsing it gives an equal selector. */
  toString(): string {
    return this.requirements.map(({ field, op, value }) => `${field}${op}${escapeFieldValue(value)}`).join(',');
  }
}

const TERM = /^(.*?)(!=|==|=)(.*)$/s;

/** Reads the string form. Throws Error with the words of Kubernetes. */
export function parseFieldSelector(text: string): FieldSelector {
  if (text.length > SELECTOR_LENGTH_MAX) throw new Error(`selector is longer than ${SELECTOR_LENGTH_MAX} characters`);
  const requirements: FieldRequirement[] = [];
  const terms = splitTerms(text).filter((term) => term !== '');
  if (terms.length > REQUIREMENTS_MAX) throw new Error(TOO_MANY_REQUIREMENTS);
  for (const term of terms.sort()) {
    const match = TERM.exec(term);
    if (match === null) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', op, value = ''] = match;
    requirements.push({ field, op: op === '!=' ? '!=' : '=', value: unescapeFieldValue(value) });
  }
  return new FieldSelector(requirements);
}

/** Splits at commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') {
      i++;
    } else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** The selector's spelling of a value. */
function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let escaped = false;
  for (const char of text) {
    if (escaped) {
      if (!'\\,='.includes(char)) throw new Error(`invalid field selector: invalid escape sequence: \\${char}`);
      value += char;
      escaped = false;
    } else if (char === '\\') {
      escaped = true;
    } else if (char === ',' || char === '=') {
      throw new Error(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else {
      value += char;
    }
  }
  if (escaped) throw new Error('invalid field selector: invalid escape sequence: \\');
  return value;
}

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { certificateBlocks } from '../apimachinery/certificate-blocks.ts';
import { getKey } from '../apimachinery/json/own-keys.ts';

type Fields = Record<string, unknown>;

/** A named list of a cluster-config, `users: [{name, user: {...}}]`, by name; the first of a name counts. */
export function entriesByName(
  document: Fields,
  list: string,
  member: string,
  problems: string[],
): ReadonlyMap<string, Fields> {
  const found = new Map<string, Fields>();
  const entries = getKey(document, list) ?? [];
  if (!Array.isArray(entries)) {
    problems.push(`${list} must be a list`);
    return found;
  }
  for (const entry of entries as readonly unknown[]) {
    const name = isFields(entry) ? getKey(entry, 'name') : undefined;
    const fields = isFields(entry) ? (getKey(entry, member) ?? {}) : undefined;
    if (typeof name !== 'string' || !isFields(fields))
      problems.push(`${list}: every entry must have a name and a ${member}`);
    else if (!found.has(name)) found.set(name, fields);
  }
  return found;
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The fields of one entry; whatever is wrong with them is added to the list of problems, under the entry's name. */
export class FileFields {
  private readonly owner: string;
  private readonly fields: Fields;
  /** Directory of the file. */
  readonly dir: string;
  private readonly problems: string[];

  constructor(owner: string, fields: Fields, dir: string, problems: string[]) {
    this.owner = owner;
    this.fields = fields;
    this.dir = dir;
    this.problems = problems;
  }

  problem(text: string): void {
    this.problems.push(`${this.owner}: ${text}`);
  }

  /** Absent and empty are the same. */
  text(name: string): string | undefined {
    const value = getKey(this.fields, name) ?? '';
    if (typeof value === 'string') return value === '' ? undefined : value;
    this.problem(`${name} must be a string`);
    return undefined;
  }

  flag(name: string): boolean {
    const value = getKey(this.fields, name) ?? false;
    if (typeof value === 'boolean') return value;
    this.problem(`${name} must be true or false`);
    return false;
  }

  has(name: string): boolean {
    return (getKey(this.fields, name) ?? undefined) !== undefined;
  }

  /** A list of strings; absent is empty. */
  texts(name: string): string[] {
    const value = getKey(this.fields, name) ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
    this.problem(`${name} must be a list of strings`);
    return [];
  }

  /** A list of objects; absent is empty. */
  entries(name: string): Fields[] {
    const value = getKey(this.fields, name) ?? [];
    if (Array.isArray(value) && value.every(isFields)) return value;
    this.problem(`${name} must be a list of objects`);
    return [];
  }

  /** Lists of strings by key; absent is undefined. */
  textsByKey(name: string): Record<string, string[]> | undefined {
    const fields = this.section(name);
    return fields && Object.fromEntries(Object.keys(fields.fields).map((key) => [key, fields.texts(key)]));
  }

  /** The fields of an object within. */
  section(name: string): FileFields | undefined {
    const value = getKey(this.fields, name) ?? undefined;
    if (value === undefined) return undefined;
    if (isFields(value)) return new FileFields(`${this.owner}: ${name}`, value, this.dir, this.problems);
    this.problem(`${name} must be an object`);
    return undefined;
  }

  /** The path that a field names, relative to the directory of the cluster-config. */
  file(name: string): string | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : path.resolve(this.dir, value);
  }

  /** `<name>-data` (base64), or else the content of the file that `<name>` names. */
  content(name: string): string | undefined {
    const data = this.text(`${name}-data`);
    if (data !== undefined) return this.decoded(`${name}-data`, data);
    const file = this.file(name);
    if (file === undefined) return undefined;
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      this.problem(`unable to read ${name} ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
      return undefined;
    }
  }

  /** The file that `content` reads, where it reads one. */
  contentFile(name: string): string | undefined {
    return this.text(`${name}-data`) === undefined ? this.file(name) : undefined;
  }

  /** As `content`, which must be PEM certificates. */
  certificates(name: string): string | undefined {
    const pem = this.content(name);
    if (pem === undefined) return undefined;
    const blocks = certificateBlocks(pem);
    if (blocks.length > 0 && blocks.every(isCertificate)) return pem;
    this.problem(`${name} must hold PEM certificates`);
    return undefined;
  }

  private decoded(name: string, data: string): string | undefined {
    const compact = data.replace(/\s+/g, '');
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(compact) && compact.length % 4 === 0)
      return Buffer.from(compact, 'base64').toString('utf8');
    this.problem(`${name} must be base64`);
    return undefined;
  }
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    // The caller reports the field.
    return false;
  }
}

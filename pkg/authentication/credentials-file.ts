import type { UserInfo } from '../api/resource-definition.ts';

/** One line of a credentials file. */
export interface CredentialsRecord {
  readonly secret: string;
  readonly user: UserInfo;
}

/**
 * Parses `secret,user name,user uid[,"group1,group2"]` lines in CSV (RFC 4180). Lines without a secret and empty lines
 * are skipped. Throws an Error that names the line and never the secret.
 */
export function readCredentials(text: string): readonly CredentialsRecord[] {
  return parseCsv(text).flatMap(({ fields, line }) => {
    const [secret = '', name = '', uid = '', groups = ''] = fields;
    if (fields.length < 3)
      throw new Error(
        `line ${line} must have at least 3 columns (secret, user name, user uid), found ${fields.length}`,
      );
    if (secret === '') return [];
    return [{ secret, user: { name, uid, groups: groups === '' ? [] : groups.split(',') } }];
  });
}

interface CsvLine {
  readonly fields: readonly string[];
  /** Number of its first line in the file, from 1. */
  readonly line: number;
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function parseCsv(text: string): readonly CsvLine[] {
  const lines: CsvLine[] = [];
  let fields: string[] = [];
  let line = 1;
  let first = 1;
  for (FIELD.lastIndex = 0; FIELD.lastIndex < text.length || fields.length > 0;) {
    const match = FIELD.exec(text);
    if (match === null)
      throw new Error(`line ${line} is no CSV: a quote stands where none may be, or none where one must be`);
    const [whole, quoted, bare = '', end] = match;
    fields.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end === ',') continue;
    if (fields.length > 1 || fields[0] !== '') lines.push({ fields, line: first });
    fields = [];
    first = line;
    if (end === '') break;
  }
  return lines;
}

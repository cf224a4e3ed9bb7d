import { isJsonObject } from '../apimachinery/json/json-object.ts';
import { readFileSync } from 'node:fs';
import { parseYaml, YamlError } from '../codec/yaml.ts';
import { findOption, type GivenValues, type OptionIndex } from './flags.ts';
import { itemsOf, listKind, type Option } from './option.ts';

/** Options that only make sense as flags. */
const flagsOnly: ReadonlySet<string> = new Set(['config', 'help', 'version']);

/**
 * Reads the YAML file of `--config`: a mapping from option names to values, where lists may be YAML lists and maps YAML
 * mappings. Adds errors to `problems`, each with the file and the key.
 */
export function readConfigFile(index: OptionIndex, path: string, problems: string[]): GivenValues {
  const given: GivenValues = new Map();
  const tell = (text: string): void => {
    problems.push(`--config=${path}: ${text}`);
  };
  const document = readDocument(path, tell);
  for (const [key, value] of Object.entries(document ?? {})) {
    const row = findOption(index, key);
    if (row === undefined) tell(`unknown option ${key}`);
    else if (flagsOnly.has(row.name)) tell(`${key} is a flag only`);
    else if (given.has(row.name)) tell(`${key} is there twice under names that mean the same`);
    else {
      const read = valueOf(row, value);
      if (read === undefined) tell(`${key}: ${shapeOf(row)}`);
      else given.set(row.name, read);
    }
  }
  return given;
}

function readDocument(path: string, tell: (text: string) => void): object | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // The row of --config reports that already.
    return undefined;
  }
  if (/^(\s|#.*)*$/.test(text)) return {};
  const tellLine = (words: string): void => tell(words.replace(/^yaml:( unmarshal errors:)?\s*/, ''));
  try {
    const value = parseYaml(text, tellLine);
    if (value === null || value === undefined) return {};
    if (typeof value === 'object' && !Array.isArray(value)) return value;
    tell('must be a mapping from option names to values');
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    tellLine(error.message);
  }
  return undefined;
}

/** The value in the form of a flag; undefined where its shape does not fit. */
function valueOf(row: Option, value: unknown): string | string[] | undefined {
  if (listKind(row) === 'no') return scalarText(value);
  if (row.type.startsWith('map') && isJsonObject(value))
    return allTexts(Object.entries(value).map(([key, v]) => pairText(key, v)));
  if (Array.isArray(value)) return allTexts(value.map(scalarText));
  const text = scalarText(value);
  return text === undefined ? undefined : itemsOf(row, text);
}

function allTexts(items: readonly (string | undefined)[]): string[] | undefined {
  return items.every((item) => item !== undefined) ? items.filter((item) => item !== '') : undefined;
}

function pairText(key: string, value: unknown): string | undefined {
  const text = scalarText(value);
  return text === undefined ? undefined : `${key}=${text}`;
}

function scalarText(value: unknown): string | undefined {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) ? String(value) : undefined;
}

function shapeOf(row: Option): string {
  if (listKind(row) === 'no') return 'must be a single value';
  return row.type.startsWith('map') ? 'must be a mapping, or a list of key=value' : 'must be a list';
}

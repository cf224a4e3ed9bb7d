/** Lines that name what differs between two JSON values, for the message of a refused change. */
import { isJsonObject } from '../../../apimachinery/json/json-object.ts';

const LINES_MAX = 20;
const VALUE_LENGTH_MAX = 200;

/**
 * One line per differing field: `  spec.nodeSelector: {"a":"b"} -> null`. At most some twenty lines of bounded length.
 */
export function specDifference(before: unknown, after: unknown): string {
  const lines: string[] = [];
  collect(before, after, 'spec', lines);
  if (lines.length > LINES_MAX) lines.splice(LINES_MAX, Infinity, '  ...');
  return lines.join('\n');
}

function collect(before: unknown, after: unknown, path: string, lines: string[]): void {
  if (lines.length > LINES_MAX || (isNothing(before) && isNothing(after))) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let i = 0; i < Math.max(before.length, after.length); i++)
      collect(before[i], after[i], `${path}[${i}]`, lines);
  } else if (isJsonObject(before) && isJsonObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      collect(own(before, key), own(after, key), `${path}.${key}`, lines);
    }
  } else if (before !== after) {
    lines.push(`  ${path}: ${shown(before)} -> ${shown(after)}`);
  }
}

function isNothing(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v)) ?? 'null';
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}...` : text;
}

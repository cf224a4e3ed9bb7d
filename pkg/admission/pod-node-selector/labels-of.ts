import { isQualifiedName, isValidLabelValue } from '../../apimachinery/names.ts';

/** Reads `key=value,key=value`. Throws Error with the words of clients. */
export function labelsOf(selector: string): Map<string, string> {
  const labels = new Map<string, string>();
  if (selector === '') return labels;
  for (const label of selector.split(',')) {
    const parts = label.split('=');
    if (parts.length !== 2) throw new Error(`invalid selector: [${label}]`);
    const [key, value] = [parts[0]!.trim(), parts[1]!.trim()];
    const problem = isQualifiedName(key)[0] ?? isValidLabelValue(value)[0];
    if (problem !== undefined) throw new Error(`invalid selector: [${label}]: ${problem}`);
    labels.set(key, value);
  }
  return labels;
}

import { goQuote } from '../../apimachinery/values/go-format.ts';
import { isQualifiedName, isValidLabelValue } from '../../apimachinery/names/names.ts';

/** Reads `key=value,key=value`. Throws Error with the words of clients. */
export function labelsOf(selector: string): Map<string, string> {
  const labels = new Map<string, string>();
  if (selector === '') return labels;
  for (const label of selector.split(',')) {
    const parts = label.split('=');
    if (parts.length !== 2) throw new Error(`invalid selector: [${parts.join(' ')}]`);
    const [key, value] = [parts[0]!.trim(), parts[1]!.trim()];
    const [keyProblems, valueProblems] = [isQualifiedName(key), isValidLabelValue(value)];
    if (keyProblems.length > 0) throw new Error(`<nil>: Invalid value: ${goQuote(key)}: ${keyProblems.join('; ')}`);
    if (valueProblems.length > 0)
      throw new Error(`[${key}]: Invalid value: ${goQuote(value)}: ${valueProblems.join('; ')}`);
    labels.set(key, value);
  }
  return labels;
}

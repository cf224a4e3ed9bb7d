import { getKey } from '../apimachinery/json/own-keys.ts';

/**
 * Whether a service answered with the expected document: as for stock servers, it may leave `apiVersion` and `kind`
 * out, and must not name others.
 */
export function isAnswerOfType(answer: object, apiVersion: string, kind: string): boolean {
  const named = (key: string, expected: string): boolean => {
    const value = getKey(answer, key) ?? '';
    return value === '' || value === expected;
  };
  return named('apiVersion', apiVersion) && named('kind', kind);
}

/** Several errors in the form of Kubernetes' aggregates: each text once, in brackets when there are two or more. */
export function aggregateMessage(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}

/** Small bodies that tests of workloads start from. For tests only. */
export const TEMPLATE = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }] },
};
const SELECTOR = { matchLabels: { app: 'a' } };

/** A named object with a spec; `spec` is laid over selector and template. */
export function workload(spec: object = {}, metadata: object = {}): { metadata: object; spec: object } {
  return { metadata: { name: 'x', ...metadata }, spec: { selector: SELECTOR, template: TEMPLATE, ...spec } };
}

import { namespaces } from './names.ts';

const fillerChars = 720;

/** A ConfigMap whose watch event is about 1.1 KB of JSON. `count` changes with every update. */
export function configMapJson(name: string, count: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: namespaces.watch,
      labels: { 'app.kubernetes.io/name': 'bench', 'app.kubernetes.io/managed-by': 'bench' },
    },
    data: {
      count: String(count).padStart(10, '0'),
      'app.properties': 'cache.ttl=30s;'.repeat(Math.ceil(fillerChars / 14)),
    },
  });
}

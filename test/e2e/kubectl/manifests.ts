/** Objects as users write them. */

export interface Labels {
  readonly [key: string]: string;
}

export function podTemplate(app: string, image = 'nginx:1.25'): object {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'web', image, ports: [{ containerPort: 80 }] }] },
  };
}

export function deployment(name: string, image = 'nginx:1.25', replicas = 1): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: name } },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name, image) },
  };
}

/** Without data and labels their fields are left out: an empty map that is applied counts as a change each time. */
export function configMap(name: string, data?: Readonly<Record<string, string>>, labels?: Labels): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(labels && { labels }) }, ...(data && { data }) };
}

export function pod(name: string, labels: Labels = {}, spec: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: { containers: [{ name: 'main', image: 'busybox:1.36' }], ...spec },
  };
}

export function node(name: string, labels: Labels = {}): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } } };
}

export function list(...items: readonly object[]): object {
  return { apiVersion: 'v1', kind: 'List', items };
}

/** Several documents in one stream; it does not begin with a brace, or kubectl would take all of it for JSON. */
export function documents(...objects: readonly object[]): string {
  return objects.map((o) => `---\n${JSON.stringify(o)}\n`).join('');
}

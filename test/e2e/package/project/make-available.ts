import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from 'binnacle';

/** Creates a deployment and waits for an available pod of it; with Node's own client, which every runner can load. */
export async function makeAvailable(
  cluster: ControlPlane,
  name: string,
  pause: () => Promise<void> = () => sleep(20),
): Promise<void> {
  const labels = { app: name };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  await send(cluster, 'POST', path, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    },
  });
  for (const deadline = Date.now() + 20_000; ; await pause()) {
    const { status } = (await send(cluster, 'GET', `${path}/${name}`)) as { status?: { availableReplicas?: number } };
    if (status?.availableReplicas === 1) return;
    if (Date.now() > deadline) throw new Error(`${name} is not available: ${JSON.stringify(status)}`);
  }
}

function send(cluster: ControlPlane, method: string, path: string, body?: object): Promise<unknown> {
  const [entry] = cluster.kubeconfig.clusters;
  const ca = Buffer.from(entry!.cluster['certificate-authority-data'], 'base64');
  const headers = { authorization: `Bearer ${cluster.token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, cluster.url), { method, ca, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode! < 300) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

import { request } from 'node:https';
import { startControlPlane } from 'binnacle';

/** Sends an object in YAML that is large enough for a worker thread, and shows the count of such tasks. */
const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n  text: ${'x'.repeat(100_000)}\n`;

await using cluster = await startControlPlane({ nodes: 0, controllers: [], scheduler: false });
const ca = Buffer.from(cluster.kubeconfig.clusters[0]!.cluster['certificate-authority-data'], 'base64');

function send(method: string, path: string, body = ''): Promise<string> {
  const headers = { authorization: `Bearer ${cluster.token}`, 'content-type': 'application/yaml' };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, cluster.url), { method, ca, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.once('end', () => resolve(`${answer.statusCode} ${text}`));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

const created = await send('POST', '/api/v1/namespaces/default/configmaps', yaml);
const metrics = await send('GET', '/metrics');
console.log(created.slice(0, 3), /^binnacle_pool_tasks_total\{.*codec.*\} .*$/m.exec(metrics)?.[0]);

import { chmodSync, writeFileSync } from 'node:fs';
import { toYaml } from '../codec/yaml.ts';

export interface KubeconfigSettings {
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  readonly token: string;
}

/** Writes a cluster-config file that kubectl, helm and client libraries read; for its owner's eyes alone, since it holds a credential. */
export function writeKubeconfig(file: string, { server, ca, token }: KubeconfigSettings): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'binnacle', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'binnacle-admin', user: { token } }],
    contexts: [{ name: 'binnacle', context: { cluster: 'binnacle', user: 'binnacle-admin' } }],
    'current-context': 'binnacle',
  };
  writeFileSync(file, toYaml(config), { mode: 0o600 });
  chmodSync(file, 0o600);
}

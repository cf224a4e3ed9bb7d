import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { type ClusterConfig, ClusterConfigError } from './cluster-config.ts';

/** Where pods find the token of their service account and the authority of the API server. */
const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server as a program within a pod reaches it. Throws `ClusterConfigError` outside of a pod. */
export function inClusterConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  dir = SERVICE_ACCOUNT_DIR,
): ClusterConfig {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  const problems: string[] = [];
  if (host === '' || port === '') {
    problems.push('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is no pod');
  }
  const tokenFile = path.join(dir, 'token');
  if (!existsSync(tokenFile)) problems.push(`${tokenFile} does not exist`);
  if (problems.length > 0) throw new ClusterConfigError(dir, problems);
  const caFile = path.join(dir, 'ca.crt');
  return {
    server: new URL(`https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`),
    // Without it the host's authorities are trusted, as those of a managed cluster may be.
    ...(existsSync(caFile) ? { ca: readFileSync(caFile, 'utf8'), caFile } : {}),
    credentials: { tokenFile },
  };
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAdmissionConfiguration } from '../../pkg/admission/configuration.ts';
import { readPolicies } from '../../pkg/authorization/abac/policy-file.ts';
import { readClusterConfig } from '../../pkg/client/cluster-config.ts';
import { apiServerOptions } from '../../pkg/options/api-server-options.ts';
import { readOptions } from '../../pkg/options/parse-options.ts';
import { parseEncryptionConfiguration } from '../../pkg/storage/encryption/configuration.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-fuzz-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

/** For readers that take the name of a file. */
function inFile(name: string, seeds: readonly string[], read: (file: string) => unknown): FuzzTarget {
  const file = path.join(dir, name.replaceAll(/\W/g, '-'));
  return {
    name, seeds,
    run(input) {
      writeFileSync(file, input);
      return read(file);
    },
  };
}

const clusterConfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:8443/hook", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: abc, username: a, password: b}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
const encryption = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources: [{resources: [secrets], providers: [{aescbc: {keys: [{name: a, secret: AAAAAAAAAAAAAAAAAAAAAA==}]}}, {kms: {name: k, endpoint: "unix:///a", timeout: 3s}}, {identity: {}}]}]
`;
const policy = '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"alice","namespace":"*","resource":"*","apiGroup":"*","readonly":true}}\n{"user":"bob"}\n';

/** Files that options name. */
export const configurationTargets: readonly FuzzTarget[] = [
  { name: 'encryption configurations', seeds: [encryption], run: (input) => parseEncryptionConfiguration(input.toString()) },
  { name: 'ABAC policies', seeds: [policy], run: (input) => readPolicies(input.toString()) },
  inFile('cluster configs', [clusterConfig], readClusterConfig),
  inFile('admission configurations', ['apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: PodSecurity, configuration: {kind: X}}, {name: EventRateLimit, path: /nonexistent}]\n'], readAdmissionConfiguration),
  inFile('option files', ['v: 2\nsecure-port: 6443\nfeature-gates: {AllAlpha: true}\nenable-admission-plugins: [NodeRestriction]\n'], (file) => readOptions(apiServerOptions, 'apiserver', [`--config=${file}`])),
  {
    name: 'command lines', seeds: ['--secure-port=1 --feature-gates AllAlpha=true --runtime-config=api/all=false --tls-sni-cert-key a,b:c', '--v 3 --no-profiling x --event-ttl=1h'],
    run: (input) => readOptions(apiServerOptions, 'apiserver', input.toString().split(' ')),
  },
];

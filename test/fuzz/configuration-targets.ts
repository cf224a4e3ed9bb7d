import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAdmissionConfiguration } from '../../pkg/admission/configuration.ts';
import { eventLimits } from '../../pkg/admission/event-rate-limit/configuration.ts';
import { imagePolicyConfiguration } from '../../pkg/admission/image-policy-webhook/configuration.ts';
import { nodeSelectors } from '../../pkg/admission/pod-node-selector/configuration.ts';
import { podSecuritySettings } from '../../pkg/admission/pod-security/configuration.ts';
import { clusterTolerations } from '../../pkg/admission/pod-toleration-restriction/configuration.ts';
import { limitedResources } from '../../pkg/admission/resource-quota/configuration.ts';
import { readPolicy } from '../../pkg/audit/policy/read-policy.ts';
import { readPolicies } from '../../pkg/authorization/abac/policy-file.ts';
import { readClusterConfig } from '../../pkg/client/cluster-config.ts';
import { parseYaml } from '../../pkg/codec/yaml.ts';
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
    name,
    seeds,
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
users: [{name: u, user: {token: abc}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;
const clusterConfigFile = path.join(dir, 'good-cluster-config');
writeFileSync(clusterConfigFile, clusterConfig);
const encryption = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources: [{resources: [secrets], providers: [{aescbc: {keys: [{name: a, secret: AAAAAAAAAAAAAAAAAAAAAA==}]}}, {kms: {name: k, endpoint: "unix:///a", timeout: 3s}}, {identity: {}}]}]
`;
const policy =
  '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"alice","namespace":"*","resource":"*","apiGroup":"*","readonly":true}}\n{"user":"bob"}\n';

const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, users: [a], userGroups: [b], verbs: [get], resources: [{group: "", resources: [pods/log, "*/status"], resourceNames: [c]}], namespaces: [d]}
- {level: RequestResponse, nonResourceURLs: ["/api*"], omitStages: [Panic]}
`;

/** Configurations of admission plugins, each with what reads it. */
const ofPlugins: readonly (readonly [plugin: string, seed: string, read: (configuration: unknown) => unknown])[] = [
  [
    'EventRateLimit',
    'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits: [{type: Namespace, qps: 50, burst: 100, cacheSize: 200}]',
    eventLimits,
  ],
  [
    'ImagePolicyWebhook',
    `imagePolicy: {kubeConfigFile: ${clusterConfigFile}, allowTTL: 50, denyTTL: 50, retryBackoff: 500, defaultAllow: true}`,
    imagePolicyConfiguration,
  ],
  ['PodNodeSelector', 'podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "a=b", ns: "c=d,e=f"}', nodeSelectors],
  [
    'PodSecurity',
    'apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: baseline, enforce-version: v1.25}\nexemptions: {usernames: [a], namespaces: [b], runtimeClasses: [c]}',
    podSecuritySettings,
  ],
  [
    'PodTolerationRestriction',
    'apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\nkind: Configuration\ndefault: [{key: a, operator: Exists}]\nwhitelist: [{key: b}]',
    clusterTolerations,
  ],
  [
    'ResourceQuota',
    'apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\nlimitedResources: [{resource: pods, matchContains: [cpu], matchScopes: [{scopeName: PriorityClass, operator: In, values: [x]}]}]',
    limitedResources,
  ],
];

/** Files that options name. */
export const configurationTargets: readonly FuzzTarget[] = [
  {
    name: 'encryption configurations',
    seeds: [encryption],
    run: (input) => parseEncryptionConfiguration(input.toString()),
  },
  { name: 'ABAC policies', seeds: [policy], run: (input) => readPolicies(input.toString()) },
  { name: 'audit policies', seeds: [auditPolicy], run: (input) => readPolicy(input.toString()) },
  ...ofPlugins.map(([plugin, seed, read]): FuzzTarget => ({
    name: `configurations of ${plugin}`,
    seeds: [seed],
    run: (input) => read(parseYaml(input.toString())),
  })),
  inFile('cluster configs', [clusterConfig], readClusterConfig),
  inFile(
    'admission configurations',
    [
      'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: PodSecurity, configuration: {kind: X}}, {name: EventRateLimit, path: /nonexistent}]\n',
    ],
    readAdmissionConfiguration,
  ),
  inFile(
    'option files',
    ['v: 2\nsecure-port: 6443\nfeature-gates: {AllAlpha: true}\nenable-admission-plugins: [NodeRestriction]\n'],
    (file) => readOptions(apiServerOptions, 'apiserver', [`--config=${file}`]),
  ),
  {
    name: 'command lines',
    seeds: [
      '--secure-port=1 --feature-gates AllAlpha=true --runtime-config=api/all=false --tls-sni-cert-key a,b:c',
      '--v 3 --no-profiling x --event-ttl=1h',
    ],
    run: (input) => readOptions(apiServerOptions, 'apiserver', input.toString().split(' ')),
  },
];

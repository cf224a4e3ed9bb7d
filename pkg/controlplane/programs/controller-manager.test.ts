import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestAuthority } from '../../net/certificates-testing.ts';
import type { Option } from '../../options/option.ts';
import { readOptions } from '../../options/parse-options.ts';
import { controllerManager } from './controller-manager.ts';
import { readProgramConfig } from './program-config.ts';

/** Answered before a program is configured. */
const OF_THE_COMMAND = new Set(['config', 'help', 'version']);
/** Some values that are right beside the defaults of the others. */
const SAMPLES: Readonly<Record<string, string>> = {
  master: 'http://127.0.0.1:2',
  'cluster-api-content-type': 'application/json',
  controllers: 'job',
  'leader-elect-lease-duration': '17s',
  'leader-elect-renew-deadline': '9s',
  'leader-elect-retry-period': '1s',
  'leader-elect-resource-lock': 'endpointsleases',
  'node-monitor-grace-period': '50s',
  'cluster-cidr': '10.7.0.0/16',
  'service-cluster-ip-range': '10.8.0.0/16',
  'cidr-allocator-type': 'CloudAllocator',
  'bind-address': '127.0.0.2',
  address: '127.0.0.2',
  'tls-min-version': 'VersionTLS13',
  'tls-cipher-suites': 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'mirroring-max-endpoints-per-subset': '999',
};

describe('what the controller manager reads', () => {
  let dir: string;
  let pair: { readonly cert: string; readonly key: string };
  const files: Record<string, string> = {};

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-manager-options-'));
    const file = (name: string, text: string): string => {
      writeFileSync(path.join(dir, name), text);
      return path.join(dir, name);
    };
    const authority = await TestAuthority.create();
    const issued = await authority.sign({ subject: 'CN=manager' });
    const certificate = file('cert.pem', issued.pem);
    pair = { cert: certificate, key: file('key.pem', issued.keyPem) };
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:3' } };
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
    const config = {
      clusters: [cluster],
      contexts: [context],
      users: [{ name: 'u', user: {} }],
      'current-context': 'c',
    };
    const kubeconfig = file('kubeconfig', JSON.stringify(config));
    const pod = file('pod.yaml', 'spec: {volumes: [{name: v}]}');
    for (const name of ['clusterconfig', 'authentication-clusterconfig', 'authorization-clusterconfig'])
      files[name] = kubeconfig;
    for (const name of ['root-ca-file', 'client-ca-file', 'requestheader-client-ca-file'])
      files[name] = file('ca.pem', authority.pem);
    for (const fs of ['nfs', 'hostpath']) files[`pv-recycler-pod-template-filepath-${fs}`] = pod;
    files['service-account-private-key-file'] = pair.key;
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const configOf = (args: readonly string[]): object => {
    const read = readOptions(controllerManager.options, 'controller-manager', ['--master=http://127.0.0.1:1', ...args]);
    const { program, work } = readProgramConfig(controllerManager.options, read, controllerManager.readWork);
    const { flags: _flags, notices: _notices, election, ...rest } = program;
    return { ...rest, election: election === undefined ? undefined : { ...election, identity: '' }, work };
  };
  /** What a test sets the option to; a half of a pair comes with the other one. */
  const argumentsFor = ({ name, type, default: text = '' }: Option): readonly string[] => {
    const half = /^(?<infix>.*?)(?:cert-file|private-key-file|key-file)$/.exec(name)?.groups?.['infix'];
    if (/^(tls|cluster-signing)-/.test(name) && half !== undefined) {
      const keyName = name.startsWith('tls') ? 'private-key-file' : 'key-file';
      return [`--${half}cert-file=${pair.cert}`, `--${half}${keyName}=${pair.key}`];
    }
    if (name === 'tls-sni-cert-key') return [`--${name}=${pair.cert},${pair.key}`];
    return [`--${name}=${files[name] ?? SAMPLES[name] ?? otherValue(type, text)}`];
  };

  for (const option of controllerManager.options) {
    if (option.inert !== undefined || OF_THE_COMMAND.has(option.name)) continue;
    it(`--${option.name} changes what the manager does`, () => {
      const more = [
        ...(option.name === 'clusterconfig' ? ['--master='] : []),
        ...(option.name === 'cidr-allocator-type' ? ['--allocate-node-cidrs'] : []),
      ];
      assert.notDeepEqual(
        configOf([...argumentsFor(option), ...more]),
        configOf(more.filter((arg) => arg !== '--master=')),
      );
    });
  }
});

function otherValue(type: Option['type'], text: string): string {
  switch (type) {
    case 'bool':
      return String(text !== 'true');
    case 'int':
    case 'uint':
      return String(Number(text) + 1);
    case 'float32':
      return String(Number(text) / 2);
    case 'duration':
      return text === '7s' ? '8s' : '7s';
    default:
      return 'other';
  }
}

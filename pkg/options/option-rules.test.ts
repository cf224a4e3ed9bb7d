import assert from 'node:assert/strict';
import { apiServerOptions } from './api-server-options.ts';
import type { Component } from './option.ts';
import { readOptions } from './parse-options.ts';

/** A file that every user can read. */
const file = import.meta.filename;
const servers = '--store-servers=http://127.0.0.1:2379';

function problems(args: readonly string[], component: Component = 'apiserver'): readonly string[] {
  return readOptions(
    apiServerOptions,
    component,
    component === 'up' || args.includes('--store-servers=') ? args : [servers, ...args],
  ).problems;
}

describe('rules between options', () => {
  const accepted: readonly (readonly string[])[] = [
    [],
    ['--storage-backend=embedded', '--store-servers=', '--data-dir=./data'],
    [`--store-certfile=${file}`, `--store-keyfile=${file}`],
    ['--oidc-issuer-url=https://issuer.example', '--oidc-client-id=me'],
    [`--service-account-signing-key-file=${file}`, `--service-account-key-file=${file}`, '--service-account-issuer=me'],
    ['--authorization-mode=Node,RBAC'],
    ['--authorization-mode=RBAC,ABAC', `--authorization-policy-file=${file}`],
    ['--audit-log-path=-', `--audit-policy-file=${file}`],
    ['--audit-log-path=-', '--feature-gates=AdvancedAuditing=false'],
    ['--audit-log-path=-', `--audit-webhook-config-file=${file}`],
    [
      '--audit-log-batch-max-size=0',
      '--audit-log-batch-buffer-size=0',
      '--audit-webhook-batch-throttle-enable=false',
      '--audit-webhook-batch-throttle-qps=0',
      '--audit-webhook-batch-throttle-burst=0',
      '--audit-log-truncate-max-event-size=0',
    ],
    ['--audit-webhook-batch-buffer-size=100'],
    ['--runtime-config=api/all=false,v1=true'],
    ['--cert-dir=certs', '--oidc-username-claim='],
    ['--audit-log-truncate-max-batch-size=1000'],
    ['--cluster-service-node-port=30001'],
    ['--enable-admission-plugins=PodPreset', '--disable-admission-plugins=LimitRanger'],
  ];
  for (const args of accepted)
    it(`accept ${args.join(' ').replaceAll(file, 'FILE') || 'nothing at all'}`, () =>
      assert.deepEqual(problems(args), []));

  const refused: readonly (readonly [args: readonly string[], problem: string])[] = [
    [['--store-servers='], '--store-servers: the storage backend etcd3 needs the URL of a server'],
    [
      ['--storage-backend=embedded', '--store-servers='],
      '--data-dir: the storage backend embedded needs a directory that stays',
    ],
    [
      ['--store-servers=https://b:2'],
      '--store-servers=http://127.0.0.1:2379,https://b:2: all must have TLS, or none: http:// and https:// cannot be mixed',
    ],
    [[`--store-keyfile=${file}`], '--store-keyfile=FILE: needs --store-certfile'],
    [[`--tls-cert-file=${file}`], '--tls-cert-file=FILE: needs --tls-private-key-file'],
    [[`--proxy-client-key-file=${file}`], '--proxy-client-key-file=FILE: needs --proxy-client-cert-file'],
    [[`--kubelet-client-certificate=${file}`], '--nodeagent-client-certificate=FILE: needs --nodeagent-client-key'],
    [['--oidc-client-id=me'], '--oidc-client-id=me: needs --oidc-issuer-url'],
    [
      ['--service-account-issuer=me', '--service-account-issuer=you', '--service-account-issuer=me'],
      '--service-account-issuer=me,you,me: names me twice',
    ],
    [
      ['--authorization-mode=RBAC', `--authorization-webhook-config-file=${file}`],
      '--authorization-webhook-config-file=FILE: needs the mode Webhook in --authorization-mode',
    ],
    [
      ['--authorization-mode=Webhook'],
      '--authorization-mode=Webhook: the mode Webhook needs --authorization-webhook-config-file',
    ],
    [['--authorization-mode=RBAC,Node,RBAC'], '--authorization-mode=RBAC,Node,RBAC: names RBAC twice'],
    [['--authorization-mode='], '--authorization-mode: must name at least one authorizer'],
    [
      ['--enable-admission-plugins=PodPreset,Priority', '--disable-admission-plugins=PodPreset'],
      '--enable-admission-plugins=PodPreset,Priority: PodPreset is in --disable-admission-plugins as well',
    ],
    [
      ['--admission-control=Priority', '--enable-admission-plugins=PodPreset'],
      '--admission-control=Priority: cannot be used together with --enable-admission-plugins and --disable-admission-plugins',
    ],
    [
      ['--audit-log-format=json', '--feature-gates=AdvancedAuditing=false'],
      '--audit-log-format=json: needs the feature AdvancedAuditing',
    ],
    [
      [`--audit-policy-file=${file}`, '--feature-gates=AdvancedAuditing=false'],
      '--audit-policy-file=FILE: needs the feature AdvancedAuditing',
    ],
    [['--audit-webhook-batch-buffer-size=0'], '--audit-webhook-batch-buffer-size=0: must be above 0'],
    [['--audit-webhook-batch-max-size=0'], '--audit-webhook-batch-max-size=0: must be above 0'],
    [
      ['--audit-log-mode=batch', '--audit-log-batch-throttle-enable', '--audit-log-batch-throttle-qps=0'],
      '--audit-log-batch-throttle-qps=0: must be above 0',
    ],
    [['--audit-webhook-batch-throttle-burst=0'], '--audit-webhook-batch-throttle-burst=0: must be above 0'],
    [
      ['--audit-log-truncate-enabled', '--audit-log-truncate-max-event-size=0'],
      '--audit-log-truncate-max-event-size=0: must be above 0',
    ],
    [
      ['--runtime-config=api/all=F'],
      '--runtime-config=api/all=F: turns off the whole API: name versions that are served',
    ],
    [['--cert-dir='], '--cert-dir: must name a directory'],
    [
      ['--oidc-issuer-url=https://issuer.example', '--oidc-client-id=me', '--oidc-username-claim='],
      '--oidc-username-claim: must name a claim',
    ],
    [
      ['--audit-webhook-truncate-enabled', '--audit-webhook-truncate-max-batch-size=1000'],
      '--audit-webhook-truncate-max-batch-size=1000: must not be below --audit-webhook-truncate-max-event-size',
    ],
    [['--secure-port=0'], '--secure-port=0: there is no other port to serve on'],
    [
      ['--cluster-service-node-port=443'],
      '--cluster-service-node-port=443: must be in --service-node-port-range=30000-32767',
    ],
    [
      ['--strict-transport-security-directives=preload'],
      '--strict-transport-security-directives=preload: must have max-age',
    ],
  ];
  for (const [args, problem] of refused)
    it(`refuse ${args.join(' ').replaceAll(file, 'FILE')}`, () =>
      assert.deepEqual(
        problems(args).map((text) => text.replaceAll(file, 'FILE')),
        [problem],
      ));

  it('refuse an audit webhook without the feature that it needs, by each of its files', () => {
    const args = [
      `--audit-webhook-config-file=${file}`,
      `--audit-policy-file=${file}`,
      '--feature-gates=AdvancedAuditing=false',
    ];
    assert.deepEqual(
      problems(args),
      ['audit-webhook-config-file', 'audit-policy-file'].map(
        (name) => `--${name}=${file}: needs the feature AdvancedAuditing`,
      ),
    );
  });

  it('refuse storage servers where the embedded store is used', () => {
    const needsEtcd = `${servers}: needs --storage-backend=etcd3`;
    assert.deepEqual(
      [problems([servers], 'up'), problems(['--storage-backend=embedded', '--data-dir=./data'])],
      [[needsEtcd], [needsEtcd]],
    );
    assert.deepEqual(problems([servers, '--storage-backend=etcd3'], 'up'), []);
  });

  it('let NodeRestriction, which up enables, be disabled', () =>
    assert.deepEqual(problems(['--disable-admission-plugins=NodeRestriction'], 'up'), []));

  it('do not run for options that are wrong already', () => {
    assert.deepEqual(
      problems([
        '--audit-log-batch-max-size=x',
        '--authorization-mode=Webhook',
        '--authorization-webhook-config-file=/absent',
      ]),
      [
        '--authorization-webhook-config-file=/absent: there is no such file',
        '--audit-log-batch-max-size=x: must be a whole number',
      ],
    );
  });
});

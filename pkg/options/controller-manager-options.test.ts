import assert from 'node:assert/strict';
import { controllerManagerOptions } from './controller-manager-options.ts';
import { parseOptions, readOptions } from './parse-options.ts';
import { upOptions } from './up-options.ts';

const problems = (...args: string[]): readonly string[] =>
  readOptions(controllerManagerOptions, 'controller-manager', args).problems;

describe('the options of the controller manager', () => {
  it('have names and aliases that mean one option each', () => {
    for (const table of [controllerManagerOptions, upOptions]) {
      const names = table.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
      assert.deepEqual(
        names.filter((name, i) => names.indexOf(name) !== i),
        [],
      );
    }
  });

  it('have right defaults, and no problem without flags', () => {
    assert.deepEqual(problems(), []);
    const given = controllerManagerOptions.flatMap(({ name, default: text }) => (text ? [`--${name}=${text}`] : []));
    assert.deepEqual(problems(...given.filter((flag) => !/^--(help|version)/.test(flag))), []);
  });

  it("take what a stock cluster's manifest passes", () => {
    const values = parseOptions(controllerManagerOptions, 'controller-manager', [
      '--allocate-node-cidrs=true',
      '--bind-address=127.0.0.1',
      '--cluster-cidr=10.244.0.0/16,fd00::/56',
      '--cluster-name=kubernetes',
      '--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt',
      '--cluster-signing-key-file=/etc/kubernetes/pki/ca.key',
      '--controllers=*,bootstrapsigner,tokencleaner',
      '--leader-elect=true',
      '--leader-elect-resource-lock=leases',
      '--kube-api-qps=50',
      '--kube-api-burst=100',
      '--node-monitor-grace-period=12s',
      '--service-cluster-ip-range=10.96.0.0/12',
      '--use-service-account-credentials=true',
      '--cluster-signing-kubelet-serving-cert-file=/etc/ca.crt',
      '--v=2',
    ]);
    assert.equal(values.float('cluster-api-qps'), 50);
    assert.deepEqual(values.list('controllers'), ['*', 'bootstrapsigner', 'tokencleaner']);
  });

  it('take periods of 0, which is none', () => {
    assert.deepEqual(problems('--resource-quota-sync-period=0', '--namespace-sync-period=0s'), []);
  });

  const bad: readonly (readonly [flag: string, rule: string])[] = [
    ['--controllers=nobody', 'must be *, the name of a controller, or - and such a name'],
    ['--cluster-cidr=10.0.0.0', 'must be a range such as 10.244.0.0/16'],
    ['--cluster-cidr=10.0.0.0/16,10.1.0.0/16', 'must be one range, or one of IPv4 and one of IPv6'],
    ['--attach-detach-reconcile-sync-period=1s', 'must be more than one second'],
    ['--unhealthy-zone-threshold=1.1', 'must be from 0 to 1'],
    ['--concurrent-gc-syncs=0', 'must be above 0'],
    ['--max-endpoints-per-slice=1001', 'must be from 1 to 1000'],
    [
      '--leader-elect-resource-lock=pods',
      'must be one of leases, endpoints, configmaps, endpointsleases, configmapsleases',
    ],
    ['--cluster-api-content-type=text/plain', 'must be one of application/vnd.kubernetes.protobuf, application/json'],
  ];
  for (const [flag, rule] of bad)
    it(`rejects ${flag}`, () => assert.ok(problems(flag)[0]?.endsWith(rule), problems(flag).join('\n')));
});

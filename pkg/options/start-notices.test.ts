import assert from 'node:assert/strict';
import { apiServerOptions } from './api-server-options.ts';
import { readOptions } from './parse-options.ts';
import { startNotices } from './start-notices.ts';

describe('startNotices', () => {
  const notices = (...args: string[]) =>
    startNotices(
      apiServerOptions,
      readOptions(apiServerOptions, 'apiserver', ['--store-servers=http://127.0.0.1:2379', ...args]).values,
    );
  const open = { option: 'authorization-mode', message: /^ANYONE WHO REACHES THIS SERVER MAY DO ANYTHING: / };

  it('warn while every client may do anything, which is the default', () => {
    const [notice, ...rest] = notices();
    assert.deepEqual([notice?.option, rest], [open.option, []]);
    assert.match(notice!.message, open.message);
    assert.equal(notices('--authorization-mode=RBAC,AlwaysAllow').length, 1);
    assert.deepEqual([...notices('--anonymous-auth=false'), ...notices('--authorization-mode=RBAC')], []);
  });

  it('report once of each option that is set that it does nothing or is deprecated', () => {
    const said = notices(
      '--authorization-mode=RBAC',
      '--cloud-provider=aws',
      '--cloud-provider=gce',
      '--logtostderr',
      '--insecure-port=0',
      '--kubelet-port=10250',
      '--admission-control=Priority',
    );
    assert.deepEqual(said, [
      { option: 'logtostderr', message: '--logtostderr does nothing: the log is lines of JSON on standard error' },
      { option: 'cloud-provider', message: '--cloud-provider does nothing: there is no cloud provider in this server' },
      { option: 'insecure-port', message: '--insecure-port does nothing: there is no port without TLS' },
      {
        option: 'admission-control',
        message: '--admission-control is deprecated: use --enable-admission-plugins and --disable-admission-plugins',
      },
      { option: 'nodeagent-port', message: '--nodeagent-port is deprecated: nodes report the port of their agent' },
    ]);
  });

  it('report that initializers do nothing, whichever option names the plugin', () => {
    for (const option of ['enable-admission-plugins', 'admission-control']) {
      const said = notices('--authorization-mode=RBAC', `--${option}=Priority,Initializers`).filter(({ message }) =>
        message.includes('Initializers'),
      );
      assert.deepEqual(
        said.map((notice) => notice.option),
        [option],
      );
      assert.match(said[0]!.message, /nothing to do/);
    }
  });

  it('report versions that cannot be turned on any more', () => {
    assert.deepEqual(
      notices(
        '--authorization-mode=RBAC',
        '--runtime-config=auditregistration.k8s.io/v1alpha1=true,discovery.k8s.io/v1alpha1=false,apps/v1=true,networking.k8s.io/v1alpha1/things',
      ),
      ['auditregistration.k8s.io/v1alpha1', 'networking.k8s.io/v1alpha1/things'].map((key) => ({
        option: 'runtime-config',
        message: `--runtime-config cannot turn on ${key}: nothing is served in that version any more`,
      })),
    );
  });

  it('report that nothing is audited without a policy', () => {
    const said = (...args: string[]) =>
      notices(
        '--authorization-mode=RBAC',
        '--audit-log-path=-',
        `--audit-webhook-config-file=${import.meta.filename}`,
        ...args,
      );
    assert.deepEqual(
      said(),
      ['audit-log-path', 'audit-webhook-config-file'].map((option) => ({
        option,
        message: `--${option} gets no events: nothing is written down without --audit-policy-file`,
      })),
    );
    assert.deepEqual(said(`--audit-policy-file=${import.meta.filename}`), []);
    assert.deepEqual(
      notices('--authorization-mode=RBAC', '--audit-log-path=-', '--feature-gates=AdvancedAuditing=false'),
      [],
    );
  });

  it('exist for every option that does nothing', () => {
    const inert = apiServerOptions.filter((row) => row.inert !== undefined);
    for (const row of inert) {
      const { values } = readOptions([row], 'apiserver', []);
      assert.equal(
        startNotices([row], values.with({ [row.name]: 'x' })).some(
          (n) => n.option === row.name && n.message === `--${row.name} does nothing: ${row.inert}`,
        ),
        true,
      );
    }
  });
});

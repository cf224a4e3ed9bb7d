import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { denyExecOnPrivilegedPlugin } from './plugin.ts';

describe('DenyExecOnPrivileged', () => {
  const pod = (name: string, spec: object) => ({
    metadata: { name, namespace: 'n' },
    spec: { containers: [{ name: 'c' }], ...spec },
  });
  const privileged = [{ name: 'p', securityContext: { privileged: true } }];
  const plugin = denyExecOnPrivilegedPlugin(
    lookupOf({
      pods: [
        pod('pid', { hostPID: true }),
        pod('privileged', { containers: privileged }),
        pod('init', { initContainers: privileged }),
      ],
    }),
  );
  const connect = (name: string, subresource = 'exec') =>
    refusalOf(
      plugin,
      requestFor('pods', { command: ['sh'] }, { operation: 'CONNECT', subresource, namespace: 'n', name }),
    );

  it('refuses connections to privileged pods only', async () => {
    assert.equal(await connect('pid'), undefined);
    for (const name of ['privileged', 'init']) {
      for (const subresource of ['exec', 'attach'])
        assert.equal(
          await connect(name, subresource),
          `403 pods "${name}" is forbidden: cannot exec into or attach to a privileged container`,
        );
    }
  });

  it('refuses a pod that does not exist, and ignores other connections', async () => {
    assert.equal(await connect('gone'), '403 pods "gone" is forbidden: pods "gone" not found');
    assert.equal(await connect('privileged', 'portforward'), undefined);
  });
});

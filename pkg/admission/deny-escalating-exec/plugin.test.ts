import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { denyEscalatingExecPlugin } from './plugin.ts';

describe('DenyEscalatingExec', () => {
  const pod = (name: string, spec: object) => ({
    metadata: { name, namespace: 'n' },
    spec: { containers: [{ name: 'c' }], ...spec },
  });
  const privileged = [{ name: 'p', securityContext: { privileged: true } }];
  const lookup = lookupOf({
    pods: [
      pod('plain', {}),
      pod('pid', { hostPID: true }),
      pod('ipc', { hostIPC: true }),
      pod('net', { hostNetwork: true }),
      pod('privileged', { containers: privileged }),
      pod('init', { initContainers: privileged }),
      pod('debugged', { ephemeralContainers: privileged }),
    ],
  });
  const connect = (
    plugin: ReturnType<typeof denyEscalatingExecPlugin>,
    name: string,
    subresource = 'exec',
    operation: 'CONNECT' | 'UPDATE' = 'CONNECT',
  ) =>
    refusalOf(
      plugin,
      requestFor('pods', { command: ['sh'], metadata: {} }, { operation, subresource, namespace: 'n', name }),
    );
  const head = (name: string) => `403 pods "${name}" is forbidden: cannot exec into or attach to `;

  it('allows connections to ordinary pods', async () => {
    for (const name of ['plain', 'net']) assert.equal(await connect(denyEscalatingExecPlugin(lookup), name), undefined);
  });

  it('refuses connections to pods that reach the node', async () => {
    const plugin = denyEscalatingExecPlugin(lookup);
    for (const subresource of ['exec', 'attach']) {
      assert.equal(await connect(plugin, 'pid', subresource), `${head('pid')}a container using host pid`);
      assert.equal(await connect(plugin, 'ipc', subresource), `${head('ipc')}a container using host ipc`);
      for (const name of ['privileged', 'init', 'debugged'])
        assert.equal(await connect(plugin, name, subresource), `${head(name)}a privileged container`);
    }
  });

  it('refuses a pod that does not exist', async () => {
    assert.equal(
      await connect(denyEscalatingExecPlugin(lookup), 'gone'),
      '403 pods "gone" is forbidden: pods "gone" not found',
    );
  });

  it('leaves other connections and writes alone', async () => {
    assert.equal(await connect(denyEscalatingExecPlugin(lookup), 'privileged', 'portforward'), undefined);
    assert.equal(await connect(denyEscalatingExecPlugin(lookup), 'privileged', 'status', 'UPDATE'), undefined);
  });
});

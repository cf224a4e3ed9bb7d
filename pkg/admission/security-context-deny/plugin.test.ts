import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { securityContextDenyPlugin } from './plugin.ts';

describe('SecurityContextDeny', () => {
  const refused = (spec: object, overrides = {}) =>
    refusalOf(
      securityContextDenyPlugin(),
      requestFor('pods', { metadata: { name: 'p', namespace: 'n' }, spec }, overrides),
    );
  const words = (setting: string) => `403 pods "p" is forbidden: ${setting} is forbidden`;

  it('admits pods without such settings', async () => {
    assert.equal(
      await refused({
        securityContext: {},
        containers: [{ name: 'c', securityContext: { privileged: true, runAsNonRoot: true } }],
      }),
      undefined,
    );
  });

  it('refuses settings of the pod', async () => {
    const cases = { supplementalGroups: [1], seLinuxOptions: {}, runAsUser: 0, fsGroup: 1 };
    const names = {
      supplementalGroups: 'SupplementalGroups',
      seLinuxOptions: 'SELinuxOptions',
      runAsUser: 'RunAsUser',
      fsGroup: 'FSGroup',
    };
    for (const [key, value] of Object.entries(cases)) {
      assert.equal(
        await refused({ securityContext: { [key]: value } }),
        words(`pod.Spec.SecurityContext.${names[key as keyof typeof names]}`),
      );
    }
  });

  it('refuses settings of any container', async () => {
    for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
      assert.equal(
        await refused({ [list]: [{ name: 'c' }, { name: 'd', securityContext: { runAsUser: 5 } }] }),
        words('SecurityContext.RunAsUser'),
      );
      assert.equal(
        await refused({ [list]: [{ name: 'c', securityContext: { seLinuxOptions: { level: 's0' } } }] }),
        words('SecurityContext.SELinuxOptions'),
      );
    }
  });

  it('checks debug containers as they are added, and not status', async () => {
    const spec = { ephemeralContainers: [{ name: 'e', securityContext: { runAsUser: 0 } }] };
    assert.equal(
      await refused(spec, { operation: 'UPDATE', subresource: 'ephemeralcontainers' }),
      words('SecurityContext.RunAsUser'),
    );
    assert.equal(await refused(spec, { operation: 'UPDATE', subresource: 'status' }), undefined);
  });
});

import assert from 'node:assert/strict';
import { leases } from '../../../../pkg/api/coordination/tokens.ts';
import { apiserverIdentityLeaseController } from '../../../../pkg/controllers/apiserver-identity-lease/controller.ts';
import { serverIdentity } from '../../../../pkg/controllers/apiserver-identity-lease/server-identity.ts';
import { apiserverLeaseGcController } from '../../../../pkg/controllers/apiserver-lease-gc/controller.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const namespace = 'kube-system';

export const apiserverLeases: ControllerSuite = {
  name: 'leases of servers',
  define(host) {
    const name = serverIdentity('suite');
    const holderOf = async () => (await host.client.get(leases, { namespace, name })).spec.holderIdentity;

    it('are made, and taken over by the next start, also when they have lost their labels', async () => {
      for (const holder of ['first', 'second', 'third']) {
        const controller = await host.start((context) =>
          apiserverIdentityLeaseController(context, { hostname: 'suite', holder }),
        );
        // An informer that lags behind makes a conflict, and a second try.
        await until(async () => (await holderOf()) === holder, `the lease of ${holder}`);
        await controller.stop();
        if (holder === 'second')
          await host.client.patch(leases, { namespace, name }, 'merge', { metadata: { labels: null } });
      }
      const { metadata, spec } = await host.client.get(leases, { namespace, name });
      assert.deepEqual(metadata.labels, {
        'apiserver.kubernetes.io/identity': 'kube-apiserver',
        'kubernetes.io/hostname': 'suite',
      });
      assert.match(spec.renewTime!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.equal(spec.leaseDurationSeconds, 3600);
    });

    it('are collected when they have ended, and no other lease is', async () => {
      const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
      const ended = { leaseDurationSeconds: 3600, renewTime: '2020-01-01T00:00:00.000000Z' };
      const alive = { ...ended, renewTime: new Date().toISOString().replace('Z', '000Z') };
      await host.client.create(leases, { metadata: { namespace, name: 'suite-ended', labels }, spec: ended });
      await host.client.create(leases, { metadata: { namespace, name: 'suite-silent', labels }, spec: {} });
      await host.client.create(leases, { metadata: { namespace, name: 'suite-unrelated' }, spec: ended });
      await host.client.create(leases, { metadata: { namespace, name: 'suite-alive', labels }, spec: alive });
      await host.start(apiserverLeaseGcController);
      const names = (await host.client.list(leases, { namespace })).items.map(({ metadata }) => metadata.name!);
      assert.deepEqual(
        names.filter((each) => each.startsWith('suite-')),
        ['suite-alive', 'suite-unrelated'],
      );
    });
  },
};

import assert from 'node:assert/strict';
import type { AuthorizationAttributes } from '../../authorization/authorizer.ts';
import type { AdmissionRequest } from '../admission.ts';
import { authorizerOf } from '../authorizer-testing.ts';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { deviceAccessPlugin } from './plugin.ts';

const metadata = { name: 'c', namespace: 'ns' };
const withKind = (request: AdmissionRequest, kind: string): AdmissionRequest => ({
  ...request,
  definition: { ...request.definition, kind },
});
const label = { 'resource.kubernetes.io/admin-access': 'true' };

describe('DeviceAccess', () => {
  const lookup = lookupOf({
    namespaces: [{ metadata: { name: 'ns' } }, { metadata: { name: 'marked', labels: label } }],
  });
  const asks = (spec: object, namespace = 'ns'): AdmissionRequest =>
    withKind(
      requestFor('resourceclaims.resource.k8s.io', { metadata: { ...metadata, namespace }, spec, status: {} }),
      'ResourceClaim',
    );
  const admin = {
    devices: {
      requests: [
        { name: 'a', exactly: { deviceClassName: 'g' } },
        { name: 'b', exactly: { deviceClassName: 'g', adminAccess: true } },
      ],
    },
  };
  const plugin = deviceAccessPlugin(
    lookup,
    authorizerOf(() => true),
  );

  it('allows access to devices in use only in marked namespaces', async () => {
    const needed =
      'Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';
    assert.equal(
      await refusalOf(plugin, asks(admin)),
      `422 ResourceClaim.resource.k8s.io "c" is invalid: spec.devices.requests[1].adminAccess: ${needed}`,
    );
    assert.equal(await refusalOf(plugin, asks(admin, 'marked')), undefined);
    assert.equal(await refusalOf(plugin, asks({ devices: {} })), undefined);
    const template = withKind(
      requestFor('resourceclaimtemplates.resource.k8s.io', { metadata, spec: { spec: admin } }),
      'ResourceClaimTemplate',
    );
    assert.match((await refusalOf(plugin, template)) ?? '', /spec.devices.requests\[1\].adminAccess: Forbidden/);
    assert.equal(
      await refusalOf(plugin, { ...asks(admin), operation: 'UPDATE', oldObject: asks(admin).object }),
      undefined,
    );
    const allocation = { devices: { results: [{ adminAccess: true }] } };
    assert.match(
      (await refusalOf(plugin, statusWrite({}, { allocation }))) ?? '',
      /status.allocation.devices.results\[0\].adminAccess: Forbidden/,
    );
    assert.equal(
      await refusalOf(plugin, statusWrite({ allocation }, { allocation, reservedFor: [{ uid: 'u' }] })),
      undefined,
    );
  });

  function statusWrite(old: object, status: object, overrides: Partial<AdmissionRequest> = {}): AdmissionRequest {
    const base = requestFor(
      'resourceclaims.resource.k8s.io',
      { metadata, spec: {}, status },
      {
        operation: 'UPDATE',
        subresource: 'status',
        verb: 'patch',
        oldObject: { metadata, spec: {}, status: old } as never,
        ...overrides,
      },
    );
    return withKind(base, 'ResourceClaim');
  }

  const only = (...permissions: string[]) =>
    authorizerOf(({ verb, subresource, namespace, name }: AuthorizationAttributes) =>
      permissions.includes([verb, subresource, namespace, name].join(' ')),
    );

  it('requires the permission to bind for allocation and reservations', async () => {
    const write = statusWrite(
      {},
      { allocation: { devices: {} }, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] },
    );
    assert.equal(await refusalOf(deviceAccessPlugin(lookup, only('patch binding  ')), write), undefined);
    assert.equal(
      await refusalOf(deviceAccessPlugin(lookup, only('update binding  ', 'patch binding ns ')), write),
      '422 ResourceClaim.resource.k8s.io "c" is invalid: status: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: ' +
        'resourceclaims.resource.k8s.io is forbidden: User "tester" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope: no rule',
    );
    assert.equal(await refusalOf(deviceAccessPlugin(lookup, only()), statusWrite({ reservedFor: [] }, {})), undefined);
    const { verb, ...ofTheServer } = write;
    assert.equal(verb, 'patch');
    assert.equal(await refusalOf(deviceAccessPlugin(lookup, only()), ofTheServer), undefined);
  });

  it('requires the permission of drivers for device status', async () => {
    const device = (driver: string, name: string, more: object = {}): object => ({
      driver,
      pool: 'p',
      device: name,
      ...more,
    });
    const old = { devices: [device('a', '1'), device('b', '1'), device('c', '1')] };
    const write = statusWrite(old, { devices: [device('a', '1'), device('b', '1', { data: {} }), device('d', '1')] });
    assert.equal(
      await refusalOf(
        deviceAccessPlugin(
          lookup,
          only(...['b', 'c', 'd'].map((driver) => `arbitrary-node:patch driver ns ${driver}`)),
        ),
        write,
      ),
      undefined,
    );
    const refused = await refusalOf(
      deviceAccessPlugin(
        lookup,
        only(
          'arbitrary-node:patch driver ns b',
          'associated-node:patch driver ns c',
          'arbitrary-node:patch driver ns d',
        ),
      ),
      write,
    );
    assert.equal(
      refused,
      '422 ResourceClaim.resource.k8s.io "c" is invalid: status: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:patch]" permission: ' +
        'resourceclaims.resource.k8s.io "c" is forbidden: User "tester" cannot arbitrary-node:patch resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "ns": no rule',
    );
  });

  it('requires less of drivers on the node of the devices', async () => {
    const allocation = {
      devices: {},
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] },
    };
    const write = (user: object): AdmissionRequest =>
      statusWrite(
        { allocation },
        { allocation, devices: [{ driver: 'd', pool: 'p', device: '1' }] },
        { user: user as never },
      );
    const local = deviceAccessPlugin(lookup, only('associated-node:patch driver ns d'));
    const extra = (node: string): object => ({ extra: { 'authentication.kubernetes.io/node-name': [node] } });
    const name = 'system:serviceaccount:kube-system:driver';
    assert.equal(await refusalOf(local, write({ name, groups: [], ...extra('n') })), undefined);
    for (const user of [
      { name, groups: [] },
      { name, groups: [], ...extra('m') },
      { name: 'driver', groups: [], ...extra('n') },
    ]) {
      assert.match((await refusalOf(local, write(user))) ?? '', /verb="\[arbitrary-node:patch\]"/);
    }
    assert.equal(
      await refusalOf(
        deviceAccessPlugin(lookup, only('arbitrary-node:patch driver ns d')),
        write({ name, groups: [], ...extra('n') }),
      ),
      undefined,
    );
  });
});

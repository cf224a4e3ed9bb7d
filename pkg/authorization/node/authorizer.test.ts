import assert from 'node:assert/strict';
import type { Pod } from '../../generated/types/core-v1.ts';
import { asks, asksPath, person } from '../authorization-testing.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { nodeRules } from '../rbac/default-policy/default-policy.ts';
import { nodeAuthorizer } from './authorizer.ts';
import { NodeGraph } from './node-graph.ts';

const n1 = person('system:node:n1', 'system:nodes', 'system:authenticated');
const unrelated = "no relationship found between node 'n1' and this object";

describe('mode Node', () => {
  const graph = new NodeGraph();
  before(() => {
    const spec = {
      nodeName: 'n1',
      containers: [],
      serviceAccountName: 'robot',
      volumes: [
        { name: 'v', secret: { secretName: 's' } },
        { name: 'w', persistentVolumeClaim: { claimName: 'c' } },
      ],
      resourceClaims: [
        { name: 'a', resourceClaimName: 'given' },
        { name: 'b', resourceClaimTemplateName: 't' },
      ],
    };
    graph.pods.put('pods/ns/p', {
      metadata: { name: 'p', namespace: 'ns' },
      spec,
      status: {
        resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'made' }],
        extendedResourceClaimStatus: { resourceClaimName: 'extended' },
      },
    } as unknown as Pod);
    for (const nodeName of ['n1', 'n2'])
      graph.resourceSlices.put(`resourceslices/of-${nodeName}`, {
        metadata: { name: `of-${nodeName}` },
        spec: { nodeName },
      } as never);
  });
  const authorizer = nodeAuthorizer({ graph, ready: () => undefined, rules: nodeRules() });
  const decide = async (asked: AuthorizationAttributes): Promise<string> => {
    const { decision, reason } = await authorizer.authorize(asked);
    return decision === 'allow' ? 'allow' : reason;
  };
  const ns = { namespace: 'ns' };
  const lease = { apiGroup: 'coordination.k8s.io', namespace: 'kube-node-lease' };
  const devices = { apiGroup: 'resource.k8s.io' };
  const storage = { apiGroup: 'storage.k8s.io' };

  const cases: readonly (readonly [expected: string, asked: AuthorizationAttributes])[] = [
    ['allow', asks(n1, 'get', 'secrets', { ...ns, name: 's' })],
    ['allow', asks(n1, 'watch', 'secrets', { ...ns, name: 's' })],
    [unrelated, asks(n1, 'get', 'secrets', { ...ns, name: 'other' })],
    [unrelated, asks(n1, 'get', 'configmaps', { ...ns, name: 's' })],
    ['No Object name found', asks(n1, 'list', 'secrets', ns)],
    ['can only read resources of this type', asks(n1, 'update', 'secrets', { ...ns, name: 's' })],
    ['cannot read subresource', asks(n1, 'get', 'secrets/x', { ...ns, name: 's' })],
    ['can only read namespaced object of this type', asks(n1, 'list', 'secrets', { name: 's' })],
    ['allow', asks(n1, 'get', 'persistentvolumeclaims', { ...ns, name: 'c' })],
    [
      'can only get individual resources of this type',
      asks(n1, 'list', 'persistentvolumeclaims', { ...ns, name: 'c' }),
    ],
    ['allow', asks(n1, 'patch', 'persistentvolumeclaims/status', { ...ns, name: 'c' })],
    ...['get', 'delete'].map(
      (verb) =>
        [
          'can only get/update/patch this type',
          asks(n1, verb, 'persistentvolumeclaims/status', { ...ns, name: 'c' }),
        ] as const,
    ),
    ['cannot get subresource', asks(n1, 'get', 'persistentvolumes/status', { name: 'v' })],
    [unrelated, asks(n1, 'get', 'persistentvolumes', { name: 'v' })],
    [unrelated, asks(n1, 'get', 'volumeattachments', { ...storage, name: 'v' })],
    ['allow', asks(n1, 'create', 'serviceaccounts/token', { ...ns, name: 'robot' })],
    [unrelated, asks(n1, 'create', 'serviceaccounts/token', { ...ns, name: 'default' })],
    ['can only create tokens for individual service accounts', asks(n1, 'create', 'serviceaccounts', ns)],
    [
      'can only create token subresource of serviceaccount',
      asks(n1, 'create', 'serviceaccounts/x', { ...ns, name: 'robot' }),
    ],
    ['allow', asks(n1, 'create', 'leases', lease)],
    ['allow', asks(n1, 'update', 'leases', { ...lease, name: 'n1' })],
    [
      'can only access node lease with the same name as the requesting node',
      asks(n1, 'update', 'leases', { ...lease, name: 'n2' }),
    ],
    [
      'can only access leases in the "kube-node-lease" system namespace',
      asks(n1, 'get', 'leases', { ...lease, namespace: 'ns', name: 'n1' }),
    ],
    ['can only get, create, update, patch, or delete a node lease', asks(n1, 'list', 'leases', lease)],
    ['allow', asks(n1, 'delete', 'csinodes', { ...storage, name: 'n1' })],
    [
      'can only access CSINode with the same name as the requesting node',
      asks(n1, 'get', 'csinodes', { ...storage, name: 'n2' }),
    ],
    ['cannot authorize CSINode subresources', asks(n1, 'get', 'csinodes/x', { ...storage, name: 'n1' })],
    ['can only get, create, update, patch, or delete a CSINode', asks(n1, 'watch', 'csinodes', storage)],
    ...['given', 'made', 'extended'].map(
      (name) => ['allow', asks(n1, 'get', 'resourceclaims', { ...ns, ...devices, name })] as const,
    ),
    [unrelated, asks(n1, 'get', 'resourceclaims', { ...ns, ...devices, name: 't' })],
    ['can only get individual resources of this type', asks(n1, 'list', 'resourceclaims', { ...ns, ...devices })],
    ['cannot get subresource', asks(n1, 'get', 'resourceclaims/status', { ...ns, ...devices, name: 'given' })],
    ['allow', asks(n1, 'create', 'resourceslices', devices)],
    ...['get', 'update', 'patch', 'delete'].map(
      (verb) => ['allow', asks(n1, verb, 'resourceslices', { ...devices, name: 'of-n1' })] as const,
    ),
    [unrelated, asks(n1, 'get', 'resourceslices', { ...devices, name: 'of-n2' })],
    ...['list', 'watch', 'deletecollection'].map(
      (verb) => ['allow', asks(n1, verb, 'resourceslices', { ...devices, selectedNode: 'n1' })] as const,
    ),
    ...[{}, { selectedNode: 'n2' }].map(
      (where) =>
        [
          'can only list/watch/deletecollection resourceslices with nodeName field selector',
          asks(n1, 'list', 'resourceslices', { ...devices, ...where }),
        ] as const,
    ),
    ['cannot authorize ResourceSlice subresources', asks(n1, 'get', 'resourceslices/x', { ...devices, name: 'of-n1' })],
    ['allow', asks(n1, 'list', 'pods')],
    ['allow', asks(n1, 'patch', 'nodes/status', { name: 'n2' })],
    ['', asks(n1, 'delete', 'nodes', { name: 'n1' })],
    ['', asks(n1, 'get', 'secrets', { ...ns, name: 's', apiGroup: 'apps' })],
    ['', asksPath(n1, 'get', '/metrics')],
    ['', asks(person('alice'), 'get', 'secrets', { ...ns, name: 's' })],
    ['', asks(person('system:node:n1'), 'get', 'secrets', { ...ns, name: 's' })],
    ['', asks(person('n1', 'system:nodes'), 'get', 'secrets', { ...ns, name: 's' })],
    ['unknown node for user "system:node:"', asks(person('system:node:', 'system:nodes'), 'list', 'pods')],
  ];
  for (const [expected, asked] of cases) {
    const { user, verb, resource, subresource, namespace, name } = asked;
    it(`says "${expected}" to ${user.name} about ${verb} ${resource}/${subresource} ${namespace}/${name}`, async () =>
      assert.equal(await decide(asked), expected));
  }

  it('waits for the graph', async () => {
    let loaded!: () => void;
    let isReady = false;
    const loading = new Promise<void>((resolve) => (loaded = resolve)).then(() => void (isReady = true));
    const waiting = nodeAuthorizer({ graph, ready: () => (isReady ? undefined : loading), rules: [] });
    const asked = waiting.authorize(asks(n1, 'get', 'secrets', { ...ns, name: 's' }));
    assert.ok(asked instanceof Promise);
    loaded();
    assert.equal((await asked).decision, 'allow');
  });

  it('cannot list the rules of nodes', async () => {
    assert.deepEqual(await authorizer.rulesFor(n1, 'ns'), {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    });
    assert.equal((await authorizer.rulesFor(person('alice'), 'ns')).incomplete, false);
  });
});

import assert from 'node:assert/strict';
import type { AdmissionRequest } from '../admission.ts';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { nodeRestrictionPlugin } from './plugin.ts';

describe('NodeRestriction', () => {
  const user = { name: 'system:node:n1', groups: ['system:nodes'] };
  const pod = (name: string, nodeName: string) => ({
    metadata: { name, namespace: 'd', uid: `uid-${name}` },
    spec: { nodeName },
    status: {},
  });
  const plugin = nodeRestrictionPlugin(
    lookupOf({ nodes: [{ metadata: { name: 'n1', uid: 'u1' } }], pods: [pod('mine', 'n1'), pod('theirs', 'n2')] }),
  );
  const refused = (resource: string, object: object | undefined, overrides: Partial<AdmissionRequest> = {}) =>
    refusalOf(plugin, requestFor(resource, object, { user, ...overrides }));
  const forbidden = (what: string, words: string) => `403 ${what} is forbidden: ${words}`;

  it('ignores all other users', async () => {
    const other = { metadata: { name: 'n2' }, spec: {} };
    for (const somebody of [
      { name: 'system:node:n1', groups: [] },
      { name: 'admin', groups: ['system:nodes'] },
    ])
      assert.equal(await refused('nodes', other, { user: somebody }), undefined);
    assert.equal(
      await refused('nodes', other, { user: { name: 'system:node:', groups: ['system:nodes'] } }),
      forbidden('nodes "n2"', 'could not determine node from user "system:node:"'),
    );
    assert.equal(await refused('configmaps', other), undefined);
    assert.equal(await refused('pods', {}, { operation: 'CONNECT', subresource: 'exec', name: 'theirs' }), undefined);
  });

  describe('nodes', () => {
    const node = (labels: object = {}, spec: object = {}, name = 'n1') => ({
      metadata: { name, labels },
      spec,
      status: {},
    });
    const update = (old: object): Partial<AdmissionRequest> => ({ operation: 'UPDATE', oldObject: old as never });

    it('register and update themselves only', async () => {
      assert.equal(
        await refused('nodes', node({ 'kubernetes.io/hostname': 'n1', 'node.kubernetes.io/x': 'y', mine: 'z' })),
        undefined,
      );
      assert.equal(
        await refused('nodes', node({}, {}, 'n2')),
        forbidden('nodes "n2"', 'node "n1" is not allowed to modify node "n2"'),
      );
      assert.equal(
        await refused('nodes', undefined, { operation: 'DELETE', name: 'n2' }),
        forbidden('nodes "n2"', 'node "n1" is not allowed to modify node "n2"'),
      );
      assert.equal(await refused('nodes', undefined, { operation: 'DELETE', name: 'n1' }), undefined);
    });

    it('do not change labels that are reserved for operators or unknown', async () => {
      const labels = {
        'sub.node-restriction.kubernetes.io/x': 'y',
        'node-role.kubernetes.io/master': '',
        'node-restriction.kubernetes.io/x': 'y',
      };
      const listed =
        'node-restriction.kubernetes.io/x, node-role.kubernetes.io/master, sub.node-restriction.kubernetes.io/x';
      assert.equal(
        await refused('nodes', node(labels)),
        forbidden('nodes "n1"', `node "n1" is not allowed to set the following labels: ${listed}`),
      );
      assert.equal(
        await refused('nodes', node(labels), update(node())),
        forbidden('nodes "n1"', `is not allowed to modify labels: ${listed}`),
      );
      assert.equal(
        await refused('nodes', node(), update(node({ 'x.k8s.io/y': 'z' }))),
        forbidden('nodes "n1"', 'is not allowed to modify labels: x.k8s.io/y'),
      );
      assert.equal(await refused('nodes', node(labels), { ...update(node(labels)), subresource: 'status' }), undefined);
    });

    it('do not change their owners', async () => {
      const owned = (ownerReferences: object[]) => ({ ...node(), metadata: { name: 'n1', ownerReferences } });
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'gone', uid: 'u' };
      const words = forbidden('nodes "n1"', 'node "n1" is not allowed to modify ownerReferences');
      assert.equal(await refused('nodes', owned([owner]), update(node())), words);
      assert.equal(await refused('nodes', owned([owner]), { ...update(node()), subresource: 'status' }), words);
      assert.equal(await refused('nodes', owned([owner]), update(owned([owner]))), undefined);
    });

    it('do not change their taints and configuration', async () => {
      const taints = [{ key: 'k', effect: 'NoSchedule' }];
      assert.equal(
        await refused('nodes', node({}, {}), update(node({}, { taints }))),
        forbidden('nodes "n1"', 'node "n1" is not allowed to modify taints'),
      );
      assert.equal(await refused('nodes', node({}, { taints }), update(node({}, { taints }))), undefined);
      assert.equal(
        await refused('nodes', node({}, { configSource: {} })),
        forbidden('nodes "n1"', 'node "n1" is not allowed to create pods with a non-nil configSource'),
      );
      assert.equal(
        await refused('nodes', node({}, { configSource: { a: 1 } }), update(node())),
        forbidden('nodes "n1"', 'node "n1" is not allowed to update configSource to a new non-nil configSource'),
      );
    });
  });

  it('keeps resource slices to their node', async () => {
    const slice = (nodeName?: string) => ({ metadata: { name: 's' }, spec: { driver: 'd', nodeName } });
    const resource = 'resourceslices.resource.k8s.io';
    assert.equal(await refused(resource, slice('n1')), undefined);
    for (const other of [slice('n2'), slice()]) {
      assert.equal(
        await refused(resource, other),
        forbidden(
          'resourceslices.resource.k8s.io "s"',
          'can only create ResourceSlice with the same NodeName as the requesting node',
        ),
      );
      assert.equal(
        await refused(resource, undefined, { operation: 'DELETE', name: 's', oldObject: other as never }),
        forbidden(
          'resourceslices.resource.k8s.io "s"',
          'can only delete ResourceSlice with the same NodeName as the requesting node',
        ),
      );
    }
    assert.equal(
      await refused(resource, undefined, { operation: 'DELETE', name: 's', oldObject: slice('n1') as never }),
      undefined,
    );
  });

  describe('pods', () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1', controller: true };
    const mirror = (spec: object = {}, ownerReferences: object[] | undefined = [owner]) => ({
      metadata: { name: 'm', namespace: 'd', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences },
      spec: { nodeName: 'n1', containers: [{ name: 'c' }], ...spec },
    });
    const words = (text: string) => forbidden('pods "m"', text);

    it('are created as mirrors of the node itself', async () => {
      assert.equal(await refused('pods', mirror()), undefined);
      assert.equal(
        await refused('pods', { metadata: { name: 'm', namespace: 'd' }, spec: { nodeName: 'n1' } }),
        words('pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods'),
      );
      assert.equal(
        await refused('pods', mirror({ nodeName: 'n2' })),
        words('node "n1" can only create pods with spec.nodeName set to itself'),
      );
    });

    it('are owned by the node', async () => {
      const itself = words('node "n1" can only create pods with an owner reference set to itself');
      assert.equal(await refused('pods', mirror({}, [])), itself);
      assert.equal(await refused('pods', mirror({}, [{ ...owner, name: 'n2' }])), itself);
      assert.equal(
        await refused('pods', mirror({}, [owner, owner])),
        words('node "n1" can only create pods with a single owner reference set to itself'),
      );
      assert.equal(
        await refused('pods', mirror({}, [{ ...owner, controller: false }])),
        words('node "n1" can only create pods with a controller owner reference set to itself'),
      );
      assert.equal(
        await refused('pods', mirror({}, [{ ...owner, blockOwnerDeletion: true }])),
        words('node "n1" must not set blockOwnerDeletion on an owner reference'),
      );
      assert.equal(
        await refused('pods', mirror({}, [{ ...owner, uid: 'x' }])),
        words('node n1 UID mismatch: expected x got u1'),
      );
      const n3 = { user: { name: 'system:node:n3', groups: ['system:nodes'] } };
      assert.equal(
        await refused('pods', mirror({ nodeName: 'n3' }, [{ ...owner, name: 'n3' }]), n3),
        '404 nodes "n3" not found',
      );
    });

    it('refer to nothing that the node could then read', async () => {
      const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] });
      const cases: [object, string][] = [
        [{ serviceAccountName: 's' }, 'a service account'],
        [volume({ secret: { secretName: 's' } }), 'secrets'],
        [{ initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 's' } }] }] }, 'secrets'],
        [
          {
            ephemeralContainers: [
              { name: 'e', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
            ],
          },
          'secrets',
        ],
        [volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }), 'secrets'],
        [volume({ configMap: { name: 's' } }), 'configmaps'],
        [volume({ projected: { sources: [{ configMap: { name: 's' } }] } }), 'configmaps'],
        [volume({ projected: { sources: [{ clusterTrustBundle: { path: 'p' } }] } }), 'clustertrustbundles'],
        [volume({ persistentVolumeClaim: { claimName: 's' } }), 'persistentvolumeclaims'],
        [volume({ ephemeral: {} }), 'persistentvolumeclaims'],
        [{ resourceClaims: [{ name: 'r' }] }, 'resourceclaims'],
      ];
      for (const [spec, what] of cases)
        assert.equal(
          await refused('pods', mirror(spec)),
          words(`node "n1" can not create pods that reference ${what}`),
        );
    });

    const of = (name: 'mine' | 'theirs', overrides: Partial<AdmissionRequest>): Partial<AdmissionRequest> => ({
      name,
      namespace: 'd',
      oldObject: pod(name, name === 'mine' ? 'n1' : 'n2') as never,
      ...overrides,
    });

    it('are deleted and evicted by their own node', async () => {
      assert.equal(await refused('pods', undefined, of('mine', { operation: 'DELETE' })), undefined);
      assert.equal(
        await refused('pods', undefined, of('theirs', { operation: 'DELETE' })),
        forbidden('pods "theirs"', 'node "n1" can only delete pods with spec.nodeName set to itself'),
      );
      const eviction = (name: string): Partial<AdmissionRequest> => ({
        operation: 'CREATE',
        subresource: 'eviction',
        name,
        namespace: 'd',
      });
      assert.equal(await refused('pods', { metadata: {} }, eviction('mine')), undefined);
      assert.equal(
        await refused('pods', { metadata: {} }, eviction('theirs')),
        forbidden('pods "theirs"', 'node n1 can only evict pods with spec.nodeName set to itself'),
      );
      assert.equal(await refused('pods', { metadata: {} }, eviction('gone')), '404 pods "gone" not found');
    });

    it('have their status updated by their own node, except labels', async () => {
      const status = (name: 'mine' | 'theirs', labels = {}) =>
        refused(
          'pods',
          { ...pod(name, ''), metadata: { name, namespace: 'd', labels } },
          of(name, { operation: 'UPDATE', subresource: 'status' }),
        );
      assert.equal(await status('mine'), undefined);
      assert.equal(
        await status('theirs'),
        forbidden('pods "theirs"', 'node "n1" can only update pod status for pods with spec.nodeName set to itself'),
      );
      assert.equal(
        await status('mine', { a: 'b' }),
        forbidden('pods "mine"', 'node "n1" cannot update labels through pod status'),
      );
    });

    it('keep the claims in their status', async () => {
      const status = (claims: object) =>
        refused(
          'pods',
          { ...pod('mine', 'n1'), status: claims },
          of('mine', { operation: 'UPDATE', subresource: 'status' }),
        );
      assert.equal(await status({ phase: 'Running' }), undefined);
      assert.equal(
        await status({ resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'theirs' }] }),
        forbidden('pods "mine"', 'node "n1" cannot update resource claim statues'),
      );
      assert.equal(
        await status({ extendedResourceClaimStatus: { resourceClaimName: 'theirs', requestMappings: [] } }),
        forbidden('pods "mine"', 'node "n1" cannot update extended resource claim status'),
      );
    });

    it('are not changed in any other way', async () => {
      assert.equal(
        await refused('pods', pod('mine', 'n1'), of('mine', { operation: 'UPDATE' })),
        forbidden('pods "mine"', 'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods'),
      );
      assert.equal(
        await refused(
          'pods',
          pod('mine', 'n1'),
          of('mine', { operation: 'UPDATE', subresource: 'ephemeralcontainers' }),
        ),
        forbidden(
          'pods "mine"',
          "unexpected pod subresource \"ephemeralcontainers\", only 'status' and 'eviction' are allowed",
        ),
      );
    });
  });

  it('lets nodes report the resize of volumes and nothing else', async () => {
    const claim = (status: object, labels = {}, resourceVersion = '1') => ({
      metadata: { name: 'c', namespace: 'd', labels, resourceVersion },
      spec: {},
      status,
    });
    const update = {
      operation: 'UPDATE',
      subresource: 'status',
      oldObject: claim({ phase: 'Bound' }) as never,
    } as const;
    assert.equal(
      await refused(
        'persistentvolumeclaims',
        claim({ phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [{}] }, {}, ''),
        update,
      ),
      undefined,
    );
    const words = forbidden(
      'persistentvolumeclaims "c"',
      'node "n1" is not allowed to update fields other than status.capacity and status.conditions',
    );
    assert.equal(await refused('persistentvolumeclaims', claim({ phase: 'Lost' }), update), words);
    assert.equal(await refused('persistentvolumeclaims', claim({ phase: 'Bound' }, { a: 'b' }), update), words);
    assert.equal(
      await refused('persistentvolumeclaims', claim({})),
      forbidden('persistentvolumeclaims "c"', 'may only update PVC status'),
    );
  });

  it('gives nodes tokens for pods that run on them', async () => {
    const asked = (boundObjectRef: object | null) =>
      refused(
        'serviceaccounts',
        { metadata: {}, spec: { boundObjectRef } },
        { subresource: 'token', name: 'sa', namespace: 'd' },
      );
    const words = (text: string) => forbidden('serviceaccounts "sa"', text);
    const bound = { apiVersion: 'v1', kind: 'Pod', name: 'mine', uid: 'uid-mine' };
    assert.equal(await asked(bound), undefined);
    for (const reference of [null, { ...bound, kind: 'Secret' }, { ...bound, name: '' }])
      assert.equal(await asked(reference), words('node requested token not bound to a pod'));
    assert.equal(await asked({ ...bound, uid: '' }), words('node requested token with a pod binding without a uid'));
    assert.equal(await asked({ ...bound, name: 'gone' }), '404 pods "gone" not found');
    assert.equal(
      await asked({ ...bound, uid: 'x' }),
      words(
        'the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
      ),
    );
    assert.equal(
      await asked({ ...bound, name: 'theirs', uid: 'uid-theirs' }),
      words('node requested token bound to a pod scheduled on a different node'),
    );
    assert.equal(await refused('serviceaccounts', { metadata: { name: 'sa' } }), undefined);
  });

  it('gives nodes their own lease and CSINode', async () => {
    const lease = (name: string, namespace: string) =>
      refused('leases.coordination.k8s.io', { metadata: { name, namespace } });
    assert.equal(await lease('n1', 'kube-node-lease'), undefined);
    assert.equal(
      await lease('n1', 'd'),
      forbidden('leases.coordination.k8s.io "n1"', 'can only access leases in the "kube-node-lease" system namespace'),
    );
    assert.equal(
      await lease('n2', 'kube-node-lease'),
      forbidden(
        'leases.coordination.k8s.io "n2"',
        'can only access node lease with the same name as the requesting node',
      ),
    );
    assert.equal(await refused('csinodes.storage.k8s.io', { metadata: { name: 'n1' } }), undefined);
    assert.equal(
      await refused('csinodes.storage.k8s.io', { metadata: { name: 'n2' } }),
      forbidden('csinodes.storage.k8s.io "n2"', 'can only access CSINode with the same name as the requesting node'),
    );
  });
});

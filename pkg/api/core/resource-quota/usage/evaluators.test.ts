import assert from 'node:assert/strict';
import type { ApiObject } from '../../../../apimachinery/meta/object.ts';
import { listOf } from './amounts.ts';
import { quotaEvaluators } from './evaluators.ts';

describe('quota evaluators', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const evaluatorOf = quotaEvaluators(() => now);
  const usage = (resource: string, object: object) =>
    listOf(evaluatorOf({ group: '', resource })!.usage({ metadata: {}, ...object } as ApiObject));
  const container = (requests: object = {}, limits: object = {}) => ({ name: 'c', resources: { requests, limits } });

  it('adds up the requests of a pod', () => {
    const spec = {
      containers: [
        container(
          { cpu: '100m', memory: '1Gi', 'example.com/gpu': '1', 'hugepages-2Mi': '2Mi' },
          { cpu: '1', 'example.com/gpu': '1' },
        ),
        container({ cpu: '200m' }),
      ],
      initContainers: [container({ cpu: '1', 'ephemeral-storage': '5Gi' })],
      overhead: { memory: '1Gi' },
    };
    assert.deepEqual(usage('pods', { spec, status: { phase: 'Running' } }), {
      'count/pods': '1',
      pods: '1',
      cpu: '1',
      'requests.cpu': '1',
      memory: '2Gi',
      'requests.memory': '2Gi',
      'limits.cpu': '1',
      'limits.memory': '1Gi',
      'ephemeral-storage': '5Gi',
      'requests.ephemeral-storage': '5Gi',
      'hugepages-2Mi': '2Mi',
      'requests.hugepages-2Mi': '2Mi',
      'requests.example.com/gpu': '1',
    });
  });

  it('adds restartable init containers, and uses the resources of the pod as a whole', () => {
    const beside = (requests: object) => ({ ...container(requests), restartPolicy: 'Always' });
    const spec = {
      containers: [container({ cpu: '1' })],
      initContainers: [
        beside({ cpu: '2' }),
        container({ cpu: '500m', memory: '1Gi' }),
        beside({ cpu: '3', memory: '2Gi' }),
      ],
    };
    assert.deepEqual(usage('pods', { spec }), {
      'count/pods': '1',
      pods: '1',
      cpu: '6',
      'requests.cpu': '6',
      memory: '2Gi',
      'requests.memory': '2Gi',
    });
    const starting = {
      containers: [container({ cpu: '1' })],
      initContainers: [beside({ cpu: '2' }), container({ cpu: '7' }), beside({ cpu: '1' })],
    };
    assert.equal(usage('pods', { spec: starting }).cpu, '9');
    const whole = {
      ...spec,
      resources: { requests: { cpu: '40', 'example.com/gpu': '1' }, limits: { memory: '3Gi' } },
    };
    assert.deepEqual(usage('pods', { spec: whole }), {
      'count/pods': '1',
      pods: '1',
      cpu: '40',
      'requests.cpu': '40',
      memory: '2Gi',
      'requests.memory': '2Gi',
      'limits.memory': '3Gi',
    });
  });

  it('counts ended pods as objects only', () => {
    const spec = { containers: [container({ cpu: '1' })] };
    for (const phase of ['Failed', 'Succeeded'])
      assert.deepEqual(usage('pods', { spec, status: { phase } }), { 'count/pods': '1' });
    const going = (deletionTimestamp: string) =>
      usage('pods', { spec, status: {}, metadata: { deletionTimestamp, deletionGracePeriodSeconds: 30 } });
    assert.deepEqual(going('2025-12-31T23:59:00Z'), { 'count/pods': '1' });
    assert.equal(going('2025-12-31T23:59:50Z').pods, '1');
  });

  it('counts what a node holds for the containers of a pod that is being resized', () => {
    const spec = {
      containers: [container({ cpu: '1' }, { cpu: '2' })],
      initContainers: [{ ...container({ memory: '1Gi' }), name: 'i' }],
    };
    const held = (name: string, cpu: string, allocated: string) => ({
      name,
      resources: { requests: { cpu }, limits: { cpu: '3' } },
      allocatedResources: { cpu: allocated },
    });
    const counted = (status: object) => {
      const used = usage('pods', { spec, status });
      return [used['requests.cpu'], used['limits.cpu'], used['requests.memory']];
    };
    assert.deepEqual(counted({ containerStatuses: [held('c', '500m', '1500m')] }), ['1500m', '3', '1Gi']);
    // An init container that does not run on counts by what it asks for.
    assert.deepEqual(counted({ initContainerStatuses: [held('i', '9', '9')] }), ['1', '2', '1Gi']);
    const conditions = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];
    assert.deepEqual(counted({ conditions, containerStatuses: [held('c', '500m', '600m')] }), ['600m', '3', '1Gi']);
  });

  it('counts the requested devices of claims, by class', () => {
    const claims = evaluatorOf({ group: 'resource.k8s.io', resource: 'resourceclaims' })!;
    const exactly = (deviceClassName: string, more: object = {}) => ({
      name: 'r',
      exactly: { deviceClassName, allocationMode: 'ExactCount', count: 1, ...more },
    });
    const or = (deviceClassName: string, count: number) => ({
      name: 's',
      deviceClassName,
      allocationMode: 'ExactCount',
      count,
    });
    const used = (...requests: object[]) =>
      listOf(claims.usage({ metadata: {}, spec: { devices: { requests } } } as unknown as ApiObject));
    const count = { 'count/resourceclaims.resource.k8s.io': '1' };
    assert.deepEqual(used(), count);
    assert.deepEqual(
      used(exactly('gpu'), exactly('gpu', { count: 2 }), exactly('nic', { allocationMode: 'All', count: undefined })),
      {
        ...count,
        'gpu.deviceclass.resource.k8s.io/devices': '3',
        'nic.deviceclass.resource.k8s.io/devices': '32',
      },
    );
    assert.deepEqual(used(exactly('gpu'), { name: 'q', firstAvailable: [or('gpu', 2), or('gpu', 4), or('nic', 1)] }), {
      ...count,
      'gpu.deviceclass.resource.k8s.io/devices': '5',
      'nic.deviceclass.resource.k8s.io/devices': '1',
    });
    const most = 2n ** 63n - 1n;
    assert.equal(
      used(exactly('gpu', { count: most }), exactly('gpu'))['gpu.deviceclass.resource.k8s.io/devices'],
      String(most + 1n),
    );
    for (const name of ['count/resourceclaims.resource.k8s.io', 'a.example.com.deviceclass.resource.k8s.io/devices'])
      assert.ok(claims.counts(name), name);
    assert.ok(!claims.counts('deviceclass.resource.k8s.io/devices') && !claims.counts('count/pods'));
  });

  it('knows which amounts count for pods', () => {
    const pods = evaluatorOf({ group: '', resource: 'pods' })!;
    for (const name of [
      'pods',
      'count/pods',
      'limits.memory',
      'requests.example.com/gpu',
      'requests.hugepages-2Mi',
      'hugepages-1Gi',
    ])
      assert.ok(pods.counts(name), name);
    for (const name of ['services', 'count/services', 'requests.storage', 'example.com/gpu'])
      assert.ok(!pods.counts(name), name);
  });

  it('reports which containers lack which fields', () => {
    const pod = {
      metadata: {},
      spec: {
        containers: [
          { ...container({ cpu: '1' }), name: 'b' },
          { ...container(), name: 'a' },
        ],
        initContainers: [{ ...container(), name: 'i' }],
      },
    } as ApiObject;
    const missing = (...names: string[]) => evaluatorOf({ group: '', resource: 'pods' })!.missing!(pod, new Set(names));
    assert.equal(
      missing('pods', 'requests.cpu', 'limits.memory'),
      'must specify limits.memory for: a,b,i; requests.cpu for: a,i',
    );
    assert.equal(missing('pods', 'count/pods', 'requests.ephemeral-storage'), undefined);
    const whole = {
      ...pod,
      spec: { ...(pod as unknown as { spec: object }).spec, resources: { limits: { memory: '1Gi' } } },
    } as ApiObject;
    assert.equal(
      evaluatorOf({ group: '', resource: 'pods' })!.missing!(whole, new Set(['requests.cpu', 'limits.memory'])),
      'must specify requests.cpu for: a,i',
    );
  });

  it('counts services, node ports and load balancers', () => {
    const ports = [{ port: 1, nodePort: 30001 }, { port: 2 }];
    const base = { 'count/services': '1', services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' };
    assert.deepEqual(usage('services', { spec: { type: 'ClusterIP', ports } }), base);
    assert.deepEqual(usage('services', { spec: { type: 'NodePort', ports } }), { ...base, 'services.nodeports': '2' });
    assert.deepEqual(usage('services', { spec: { type: 'LoadBalancer', ports } }), {
      ...base,
      'services.nodeports': '2',
      'services.loadbalancers': '1',
    });
    assert.deepEqual(
      usage('services', { spec: { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false } }),
      { ...base, 'services.nodeports': '1', 'services.loadbalancers': '1' },
    );
  });

  it('counts claims and storage, by class', () => {
    const spec = { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } };
    const of = (name: string) => ({
      [`${name}.storageclass.storage.k8s.io/persistentvolumeclaims`]: '1',
      [`${name}.storageclass.storage.k8s.io/requests.storage`]: '1Gi',
    });
    const base = { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1', 'requests.storage': '1Gi' };
    assert.deepEqual(usage('persistentvolumeclaims', { spec }), { ...base, ...of('gold') });
    assert.deepEqual(
      usage('persistentvolumeclaims', {
        spec,
        metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } },
      }),
      { ...base, ...of('old') },
    );
    assert.deepEqual(usage('persistentvolumeclaims', { spec: { resources: { requests: { storage: '1Gi' } } } }), base);
  });

  it('counts whole bytes of claims, and the present size of a shrinking volume', () => {
    const storage = (asked: string, allocated?: string) => {
      const status = allocated === undefined ? {} : { allocatedResources: { storage: allocated } };
      return usage('persistentvolumeclaims', { spec: { resources: { requests: { storage: asked } } }, status })[
        'requests.storage'
      ];
    };
    assert.deepEqual([storage('1500m'), storage('1Gi', '3Gi'), storage('4Gi', '3Gi')], ['2', '3Gi', '4Gi']);
  });

  it("sorts claims into the scopes of their attributes' class", () => {
    const inScope = (claim: object, operator: string, values?: string[], scopeName = 'VolumeAttributesClass') =>
      evaluatorOf({ group: '', resource: 'persistentvolumeclaims' })!.inScope!(
        { metadata: {}, spec: {}, ...claim } as ApiObject,
        {
          scopeName,
          operator,
          ...(values === undefined ? {} : { values }),
        },
      );
    const claim = {
      spec: { volumeAttributesClassName: 'gold' },
      status: { currentVolumeAttributesClassName: 'silver' },
    };
    assert.deepEqual(
      [
        inScope(claim, 'Exists'),
        inScope(claim, 'In', ['silver']),
        inScope(claim, 'In', ['gold']),
        inScope(claim, 'DoesNotExist'),
      ],
      [true, true, true, false],
    );
    assert.deepEqual(
      [inScope({}, 'Exists'), inScope({}, 'In', ['gold']), inScope({}, 'NotIn', ['gold']), inScope({}, 'DoesNotExist')],
      [false, false, true, true],
    );
    assert.equal(inScope(claim, 'Exists', undefined, 'PriorityClass'), false);
  });

  it('counts any other objects, some of them under two names', () => {
    assert.deepEqual(usage('secrets', {}), { 'count/secrets': '1', secrets: '1' });
    assert.deepEqual(listOf(evaluatorOf({ group: 'apps', resource: 'deployments' })!.usage({ metadata: {} })), {
      'count/deployments.apps': '1',
    });
    assert.equal(evaluatorOf({ group: '', resource: 'events' }), undefined);
    assert.equal(evaluatorOf({ group: '', resource: 'bindings' }), undefined);
  });

  it('sorts pods into scopes', () => {
    const inScope = (spec: object, scopeName: string, operator = 'Exists', values?: string[]) =>
      evaluatorOf({ group: '', resource: 'pods' })!.inScope!(
        { metadata: {}, spec: { containers: [container()], ...spec } } as ApiObject,
        {
          scopeName,
          operator,
          ...(values === undefined ? {} : { values }),
        },
      );
    assert.deepEqual(
      [inScope({ activeDeadlineSeconds: 5 }, 'Terminating'), inScope({}, 'Terminating'), inScope({}, 'NotTerminating')],
      [true, false, true],
    );
    assert.deepEqual(
      [
        inScope({}, 'BestEffort'),
        inScope({}, 'NotBestEffort'),
        inScope({ containers: [container({ cpu: '1' })] }, 'NotBestEffort'),
      ],
      [true, false, true],
    );
    const high = { priorityClassName: 'high' };
    assert.deepEqual(
      [inScope(high, 'PriorityClass'), inScope({}, 'PriorityClass'), inScope({}, 'PriorityClass', 'DoesNotExist')],
      [true, false, true],
    );
    assert.deepEqual(
      [
        inScope(high, 'PriorityClass', 'In', ['low', 'high']),
        inScope({}, 'PriorityClass', 'In', ['low']),
        inScope({}, 'PriorityClass', 'NotIn', ['low']),
      ],
      [true, false, true],
    );
    const term = { topologyKey: 'k', namespaceSelector: {} };
    assert.equal(
      inScope(
        { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
        'CrossNamespacePodAffinity',
      ),
      true,
    );
    assert.equal(
      inScope(
        {
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { podAffinityTerm: { topologyKey: 'k', namespaces: ['x'] } },
              ],
            },
          },
        },
        'CrossNamespacePodAffinity',
      ),
      true,
    );
    assert.equal(
      inScope(
        { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k' }] } } },
        'CrossNamespacePodAffinity',
      ),
      false,
    );
    assert.equal(inScope({}, 'Unknown'), false);
  });
});

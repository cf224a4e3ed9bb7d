import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { limitRangerPlugin } from './plugin.ts';

interface Resources {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

describe('LimitRanger', () => {
  const plugin = (...limits: object[]) =>
    limitRangerPlugin(lookupOf({ limitranges: [{ metadata: { name: 'l', namespace: 'd' }, spec: { limits } }] }));
  const usual = [
    {
      type: 'Container',
      default: { cpu: '500m' },
      defaultRequest: { cpu: '100m' },
      max: { cpu: '1' },
      min: { cpu: '50m' },
    },
    { type: 'PersistentVolumeClaim', max: { storage: '2Gi' } },
    { type: 'Pod', max: { cpu: '1500m' } },
  ];
  const pod = (containers: Resources[], initContainers: Resources[] = []) => ({
    metadata: { name: 'b', namespace: 'd' } as { name: string; namespace: string; annotations?: object },
    spec: {
      containers: containers.map((resources, i) => ({ name: `c${i}`, resources })),
      initContainers: initContainers.map((resources, i) => ({ name: `i${i}`, resources })),
    },
  });
  const refused = (limits: object[], containers: Resources[], initContainers: Resources[] = []) =>
    refusalOf(plugin(...limits), requestFor('pods', pod(containers, initContainers)));

  it('sets what containers lack and records it', async () => {
    const created = pod([{}, { limits: { cpu: '200m', memory: '1Gi' } }], [{}]);
    assert.equal(await refusalOf(plugin(usual[0]!), requestFor('pods', created)), undefined);
    assert.deepEqual(
      created.spec.containers.map((c) => c.resources),
      [
        { requests: { cpu: '100m' }, limits: { cpu: '500m' } },
        { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '1Gi' } },
      ],
    );
    assert.deepEqual(created.metadata.annotations, {
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container c0; cpu limit for container c0; cpu request for container c1; ' +
        'cpu request for init container i0; cpu limit for init container i0',
    });
  });

  it('bounds containers', async () => {
    const head = '403 pods "b" is forbidden: ';
    assert.equal(
      await refused(usual.slice(0, 1), [{ limits: { cpu: '2' } }]),
      `${head}maximum cpu usage per Container is 1, but limit is 2`,
    );
    assert.equal(
      await refused(usual.slice(0, 1), [{ requests: { cpu: '10m' } }]),
      `${head}minimum cpu usage per Container is 50m, but request is 10m`,
    );
    const bare = { type: 'Container', min: { cpu: '1' }, max: { memory: '1Gi' } };
    assert.equal(
      await refused([bare], [{}]),
      `${head}[minimum cpu usage per Container is 1.  No request is specified, maximum memory usage per Container is 1Gi.  No limit is specified]`,
    );
    assert.equal(
      await refused([bare], [{ requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '1Gi' } }]),
      `${head}maximum memory usage per Container is 1Gi, but request is 2Gi`,
    );
  });

  it('bounds the ratio of limit and request', async () => {
    const ratio = { type: 'Container', maxLimitRequestRatio: { cpu: '2' } };
    const head = '403 pods "b" is forbidden: cpu max limit to request ratio per Container is 2, but ';
    assert.equal(await refused([ratio], [{ requests: { cpu: '1' }, limits: { cpu: '2' } }]), undefined);
    assert.equal(
      await refused(
        [{ type: 'Container', maxLimitRequestRatio: { cpu: '3' } }],
        [{ requests: { cpu: '23m' }, limits: { cpu: '69m' } }],
      ),
      undefined,
    );
    assert.equal(
      await refused([ratio], [{ requests: { cpu: '1' }, limits: { cpu: '2500m' } }]),
      `${head}provided ratio is 2.500000`,
    );
    assert.equal(await refused([ratio], [{ limits: { cpu: '1' } }]), `${head}no request is specified or request is 0`);
    assert.equal(await refused([ratio], [{ requests: { cpu: '1' } }]), `${head}no limit is specified or limit is 0`);
  });

  it('bounds the sum of a pod and the largest init container', async () => {
    const whole = [{ type: 'Pod', max: { cpu: '1500m' } }];
    const one = { requests: { cpu: '1' }, limits: { cpu: '1' } };
    assert.equal(await refused(whole, [one]), undefined);
    assert.equal(
      await refused(whole, [one, one]),
      '403 pods "b" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 2',
    );
    assert.equal(await refused(whole, [one], [one, one]), undefined);
    assert.equal(
      await refused(whole, [one], [{ limits: { cpu: '3' } }]),
      '403 pods "b" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 3',
    );
  });

  it('adds restartable init containers', async () => {
    const beside = pod([{ limits: { cpu: '1' } }], [{ limits: { cpu: '1' } }]);
    const whole = plugin({ type: 'Pod', max: { cpu: '1500m' } });
    assert.equal(await refusalOf(whole, requestFor('pods', beside)), undefined);
    Object.assign(beside.spec.initContainers[0]!, { restartPolicy: 'Always' });
    assert.equal(
      await refusalOf(whole, requestFor('pods', beside)),
      '403 pods "b" is forbidden: maximum cpu usage per Pod is 1500m, but limit is 2',
    );
  });

  it('bounds pods that are resized, without giving them defaults', async () => {
    const resize = (resources: Resources) => {
      const object = pod([resources]);
      return refusalOf(
        plugin(...usual),
        requestFor('pods', object, { operation: 'UPDATE', subresource: 'resize', oldObject: pod([{}]) as never }),
      ).then((refused) => refused ?? object.spec.containers[0]!.resources);
    };
    const fitting = { requests: { cpu: '500m' }, limits: { cpu: '1' } };
    assert.deepEqual(await resize(fitting), fitting);
    assert.equal(
      await resize({ requests: { cpu: '1' }, limits: { cpu: '1200m' } }),
      '403 pods "b" is forbidden: maximum cpu usage per Container is 1, but limit is 1200m',
    );
  });

  it('bounds volume claims, also when they change', async () => {
    const claim = (storage: string) => ({
      metadata: { name: 'c', namespace: 'd' },
      spec: { resources: { requests: { storage } } },
    });
    const words =
      '403 persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi';
    assert.equal(await refusalOf(plugin(...usual), requestFor('persistentvolumeclaims', claim('3Gi'))), words);
    const update = { operation: 'UPDATE', oldObject: claim('1Gi') } as const;
    assert.equal(await refusalOf(plugin(...usual), requestFor('persistentvolumeclaims', claim('3Gi'), update)), words);
    const going = {
      ...claim('3Gi'),
      metadata: { name: 'c', namespace: 'd', deletionTimestamp: '2026-01-02T03:04:05Z' },
    };
    assert.equal(
      await refusalOf(
        plugin(...usual),
        requestFor('persistentvolumeclaims', claim('3Gi'), { operation: 'UPDATE', oldObject: going }),
      ),
      undefined,
    );
  });

  it('leaves other namespaces alone', async () => {
    const elsewhere = { ...pod([{}]), metadata: { name: 'b', namespace: 'e' } };
    assert.equal(
      await refusalOf(plugin({ type: 'Container', min: { cpu: '1' } }), requestFor('pods', elsewhere)),
      undefined,
    );
  });
});

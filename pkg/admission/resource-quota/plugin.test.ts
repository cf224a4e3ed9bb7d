import assert from 'node:assert/strict';
import { persistentVolumeClaim } from '../../api/core/persistent-volume-claim/persistent-volume-claim.ts';
import { pod } from '../../api/core/pod/pod.ts';
import { resourceQuota } from '../../api/core/resource-quota/resource-quota.ts';
import { secret } from '../../api/core/secret/secret.ts';
import type { AnyResource } from '../../api/resource-definition.ts';
import { deepCopy } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { PersistentVolumeClaim, ResourceQuota } from '../../generated/types/core-v1.ts';
import { createObject } from '../../registry/create-object.ts';
import { hubObject, openRegistry, write, type Replica, type TestRegistry } from '../../registry/registry-testing.ts';
import { updateObject } from '../../registry/update-object.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { amountsOf } from '../../api/core/resource-quota/usage/amounts.ts';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { limitedResources } from './configuration.ts';
import { quotaEvaluators } from '../../api/core/resource-quota/usage/evaluators.ts';
import { quotasOf, withUsage } from './fresh-quotas.ts';
import { resourceQuotaPlugin } from './plugin.ts';
import { QuotaAccount } from './quota-account.ts';

describe('ResourceQuota', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let other: Replica;
  let errors: unknown[];
  let namespaces = 0;
  let namespace: string;

  before(async () => {
    registry = openRegistry([resourceQuota, secret, pod, persistentVolumeClaim]);
    [stores, other] = [await registry.replica(), await registry.replica()];
  });
  beforeEach(() => {
    errors = [];
    namespace = `n${++namespaces}`;
  });
  afterEach(() => assert.deepEqual(errors, []));
  after(() => registry.stop());

  const pluginOf = (replica: Replica, configuration?: unknown): AdmissionPlugin =>
    resourceQuotaPlugin(replica, {
      limited: limitedResources(configuration),
      nowMs: Date.now,
      onError: (error) => errors.push(error),
    });

  async function quota(
    hard: Record<string, string>,
    more: { name?: string; spec?: object; used?: Record<string, string> } = {},
  ): Promise<void> {
    const { name = 'q', spec = {}, used } = more;
    const body = hubObject(resourceQuota, { name, namespace }, { spec: { hard, ...spec } });
    await createObject(stores('resourcequotas'), body, write('v1', '', { namespace }));
    if (used === undefined) return;
    await updateObject(stores('resourcequotas'), {
      ...write('v1', name, { namespace, subresource: 'status' }),
      transform: (current) => ({ ...current!.privateObject(), status: { hard, used } }) as ApiObject,
    });
  }

  const accountOf = (): QuotaAccount =>
    new QuotaAccount(stores('resourcequotas'), Date.now, (error) => errors.push(error));

  async function specify(spec: ResourceQuota['spec']): Promise<void> {
    await updateObject(stores('resourcequotas'), {
      ...write('v1', 'q', { namespace }),
      transform: (current) => ({ ...current!.privateObject(), spec }) as ApiObject,
    });
  }

  async function status(name = 'q'): Promise<ResourceQuota['status']> {
    const stored = await registry.store.get(`resourcequotas/${namespace}/${name}`);
    return (stores('resourcequotas').codec.decode(stored!.value, stored!.modRevision) as ResourceQuota).status;
  }

  async function used(name = 'q'): Promise<Record<string, string> | undefined> {
    return (await status(name)).used;
  }

  /** Undefined, or the refusal's code and words. */
  async function made(
    definition: AnyResource,
    metadata: object,
    rest: object = {},
    options: { dryRun?: boolean; replica?: Replica; configuration?: unknown; plugins?: AdmissionPlugin[] } = {},
  ): Promise<string | undefined> {
    const { dryRun = false, replica = stores, configuration, plugins = [] } = options;
    try {
      const body = hubObject(definition, { namespace, ...metadata }, rest);
      await createObject(
        replica(definition.resource),
        body,
        write('v1', '', { namespace, dryRun, plugins: [pluginOf(replica, configuration), ...plugins] }),
      );
      return undefined;
    } catch (error) {
      if (error instanceof StatusError) return `${error.code} ${error.message}`;
      throw error;
    }
  }
  const podSpec = (requests?: object, more: object = {}) => ({
    spec: {
      containers: [{ name: 'c', image: 'i', ...(requests === undefined ? {} : { resources: { requests } }) }],
      ...more,
    },
  });

  it('counts stored objects and refuses those beyond the bound', async () => {
    await quota(
      { 'count/secrets': '1', 'requests.cpu': '1', pods: '2' },
      { used: { 'count/secrets': '0', 'requests.cpu': '0', pods: '0' } },
    );
    assert.equal(await made(secret, { name: 'a' }), undefined);
    assert.equal(
      await made(secret, { name: 'b' }),
      '403 secrets "b" is forbidden: exceeded quota: q, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1',
    );
    assert.equal(
      await made(pod, { name: 'p' }, podSpec()),
      '403 pods "p" is forbidden: failed quota: q: must specify requests.cpu for: c',
    );
    assert.equal(await made(pod, { name: 'p' }, podSpec({ cpu: '600m' })), undefined);
    assert.equal(
      await made(pod, { name: 'r' }, podSpec({ cpu: '600m' })),
      '403 pods "r" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    assert.deepEqual(await used(), { 'count/secrets': '1', 'requests.cpu': '600m', pods: '1' });
  });

  it('counts nothing for a dry run, and refuses all the same', async () => {
    await quota({ secrets: '1' }, { used: { secrets: '0' } });
    assert.equal(await made(secret, { name: 'a' }, {}, { dryRun: true }), undefined);
    assert.deepEqual(await used(), { secrets: '0' });
    assert.equal(await made(secret, { name: 'a' }), undefined);
    assert.match((await made(secret, { name: 'b' }, {}, { dryRun: true })) ?? '', /exceeded quota/);
  });

  it('releases the charge of a failed write', async () => {
    await quota({ secrets: '5' }, { used: { secrets: '0' } });
    assert.equal(await made(secret, { name: 'a' }), undefined);
    assert.equal(await made(secret, { name: 'a' }), `409 secrets "a" already exists`);
    const refusing = { name: 'no', validate: () => Promise.reject(new Error('no')) };
    await assert.rejects(made(secret, { name: 'b' }, {}, { plugins: [refusing] }), /no/);
    assert.deepEqual(await used(), { secrets: '1' });
  });

  it('releases the charges of other quotas when one refuses', async () => {
    await quota({ secrets: '5' }, { name: 'a', used: { secrets: '0' } });
    await quota({ 'count/secrets': '0' }, { name: 'b', used: { 'count/secrets': '0' } });
    assert.match((await made(secret, { name: 'x' })) ?? '', /exceeded quota: b/);
    assert.deepEqual([await used('a'), await used('b')], [{ secrets: '0' }, { 'count/secrets': '0' }]);
  });

  it('grants no amount twice over replicas', async () => {
    await quota({ secrets: '10' }, { used: { secrets: '0' } });
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        made(secret, { name: `s${i}` }, {}, { replica: i % 2 === 0 ? stores : other }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 10);
    assert.ok(outcomes.every((outcome) => outcome === undefined || outcome.includes('exceeded quota: q')));
    assert.equal((await registry.keys(`secrets/${namespace}/`)).length, 10);
    assert.deepEqual(await used(), { secrets: '10' });
  });

  it('counts existing objects where a quota has no status yet', async () => {
    assert.equal(await made(secret, { name: 'a' }), undefined);
    await quota({ secrets: '2', pods: '1' });
    assert.equal(await made(secret, { name: 'b' }, {}, { dryRun: true }), undefined);
    assert.equal(await used(), undefined);
    assert.equal(await made(secret, { name: 'b' }), undefined);
    assert.deepEqual(await used(), { secrets: '2' });
    assert.match((await made(secret, { name: 'c' })) ?? '', /used: secrets=2, limited: secrets=2/);
  });

  it('follows a specification that changed', async () => {
    await quota({ secrets: '1' }, { used: { secrets: '1' } });
    await specify({ hard: { secrets: '2' } });
    assert.equal(await made(secret, { name: 'a' }), undefined);
    assert.deepEqual(await used(), { secrets: '2' });
  });

  it('drops amounts that the specification no longer bounds, without counting', async () => {
    const usedBefore = { secrets: '1', 'count/secrets': '2', pods: '1' };
    await quota({ secrets: '1', 'count/secrets': '8', pods: '1' }, { used: usedBefore });
    const left = { 'count/secrets': '8', pods: '1' };
    await specify({ hard: left });
    const [found] = await quotasOf(stores('resourcequotas'), namespace, 'consistent');
    const dryRun = requestFor('secrets', hubObject(secret, { name: 'a', namespace }), { dryRun: true });
    const { status: local } = await withUsage(
      found!,
      dryRun,
      quotaEvaluators(Date.now)(dryRun.definition)!,
      () => assert.fail('objects were counted'),
      accountOf(),
    );
    assert.deepEqual([local, await used()], [{ hard: left, used: { 'count/secrets': '2', pods: '1' } }, usedBefore]);
    assert.equal(await made(secret, { name: 'a' }), undefined);
    assert.deepEqual(await status(), { hard: left, used: { 'count/secrets': '3', pods: '1' } });
    await specify({ hard: { secrets: '2', 'count/secrets': '8' } });
    assert.equal(await made(secret, { name: 'b' }), undefined);
    assert.match((await made(secret, { name: 'c' })) ?? '', /used: secrets=2, limited: secrets=2/);
    await specify({ hard: {} });
    assert.equal(await made(secret, { name: 'c' }), undefined);
    assert.equal(await made(pod, { name: 'p' }, podSpec()), undefined);
    const [emptied] = await quotasOf(stores('resourcequotas'), namespace, 'consistent');
    assert.deepEqual(emptied!.status, {});
  });

  it('counts again by another scope selector', async () => {
    const selecting = (name: string) => ({
      hard: { pods: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [name] }] },
    });
    await quota({ pods: '1' }, { spec: selecting('high') });
    assert.equal(await made(pod, { name: 'a' }, podSpec(undefined, { priorityClassName: 'high' })), undefined);
    await specify(selecting('low'));
    assert.equal(await made(pod, { name: 'b' }, podSpec(undefined, { priorityClassName: 'low' })), undefined);
    assert.match(
      (await made(pod, { name: 'c' }, podSpec(undefined, { priorityClassName: 'low' }))) ?? '',
      /exceeded quota: q, requested: pods=1, used: pods=1/,
    );
    assert.equal(await made(pod, { name: 'c' }, podSpec(undefined, { priorityClassName: 'high' })), undefined);
  });

  it('stores no usage that was counted by an old scope selector', async () => {
    const selecting = (name: string) => ({
      hard: { pods: '9' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [name] }] },
    });
    for (const [name, priorityClassName] of [
      ['a', 'high'],
      ['b', 'high'],
      ['c', 'low'],
    ] as const)
      await made(pod, { name }, podSpec(undefined, { priorityClassName }));
    await quota({ pods: '9' }, { spec: selecting('high') });
    const overtaken = new (class extends QuotaAccount {
      override async change(...args: Parameters<QuotaAccount['change']>) {
        await specify(selecting('low'));
        return super.change(...args);
      }
    })(stores('resourcequotas'), Date.now, (error) => errors.push(error));
    const [found] = await quotasOf(stores('resourcequotas'), namespace, 'consistent');
    const request = requestFor('pods', hubObject(pod, { name: 'd', namespace }, podSpec()));
    const { status: counted } = await withUsage(
      found!,
      request,
      quotaEvaluators(Date.now)(request.definition)!,
      stores,
      overtaken,
    );
    assert.deepEqual(counted, { hard: { pods: '9' }, used: { pods: '1' } });
    assert.deepEqual(await status(), counted);
  });

  it('charges no amount that the quota has stopped bounding meanwhile', async () => {
    await quota({ secrets: '5' }, { used: { secrets: '1' } });
    await accountOf().charge(
      namespace,
      { quota: 'q', amounts: amountsOf({ secrets: '1', pods: '1' }) },
      () => undefined,
    );
    assert.deepEqual(await used(), { secrets: '2' });
  });

  it('charges updates for what they add', async () => {
    await quota({ 'requests.storage': '3Gi' }, { used: { 'requests.storage': '0' } });
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    assert.equal(await made(persistentVolumeClaim, { name: 'c' }, { spec: claim }), undefined);
    const plugin = pluginOf(stores);
    const old = hubObject(persistentVolumeClaim, { name: 'c', namespace }, { spec: claim });
    const grown = (storage: string) => {
      const object = deepCopy(old) as PersistentVolumeClaim;
      object.spec.resources.requests = { storage };
      return object;
    };
    const request = (object: ApiObject) => ({
      ...write('v1', 'c', { namespace }),
      operation: 'UPDATE' as const,
      definition: persistentVolumeClaim,
      groupVersion: 'v1',
      object,
      oldObject: old,
      user: { name: 'u', groups: [] },
      dryRun: false,
    });
    await plugin.validate!(request(grown('3Gi')));
    assert.deepEqual(await used(), { 'requests.storage': '3Gi' });
    await plugin.validate!(request(grown('1Gi')));
    assert.deepEqual(await used(), { 'requests.storage': '3Gi' });
    await assert.rejects(
      async () => plugin.validate!(request(grown('2Gi'))),
      /exceeded quota: q, requested: requests\.storage=1Gi, used: requests\.storage=3Gi, limited: requests\.storage=3Gi/,
    );
  });

  it('charges pods that are resized', async () => {
    await quota({ 'requests.cpu': '1', pods: '1' }, { used: { 'requests.cpu': '100m', pods: '1' } });
    const sized = (cpu: string) => hubObject(pod, { name: 'p', namespace }, podSpec({ cpu }));
    const resize = (cpu: string, subresource = 'resize') =>
      refusalOf(
        pluginOf(stores),
        requestFor('pods', sized(cpu), { operation: 'UPDATE', subresource, oldObject: sized('100m') }),
      );
    assert.equal(
      await resize('1100m'),
      '403 pods "p" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=100m, limited: requests.cpu=1',
    );
    assert.equal(await resize('900m'), undefined);
    assert.equal(await resize('5', 'status'), undefined);
    assert.deepEqual(await used(), { 'requests.cpu': '900m', pods: '1' });
  });

  it('refuses amounts with too many digits', async () => {
    await quota({ 'requests.cpu': '1' }, { used: { 'requests.cpu': '100m' } });
    assert.match(
      (await made(pod, { name: 'p' }, podSpec({ cpu: '1e2000' }))) ?? '',
      /^403 .*exceeded quota: q, requested: requests\.cpu=100e1998, used: requests\.cpu=100m/,
    );
  });

  it('names amounts in the order of their names', async () => {
    await quota({ services: '0', 'services.nodeports': '0' }, { used: { services: '0', 'services.nodeports': '0' } });
    const spec = { type: 'NodePort', ports: [{ port: 1 }] };
    assert.match(
      (await refusalOf(pluginOf(stores), requestFor('services', { metadata: { name: 's', namespace }, spec }))) ?? '',
      /requested: services=1,services\.nodeports=1, used: services=0,/,
    );
  });

  it('bounds only objects in its scopes', async () => {
    await quota({ pods: '0' }, { name: 'best', spec: { scopes: ['BestEffort'] }, used: { pods: '0' } });
    await quota(
      { pods: '0' },
      {
        name: 'high',
        spec: {
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
        },
        used: { pods: '0' },
      },
    );
    assert.equal(await made(pod, { name: 'a' }, podSpec({ cpu: '1' })), undefined);
    assert.match((await made(pod, { name: 'b' }, podSpec())) ?? '', /exceeded quota: best/);
    assert.match(
      (await made(pod, { name: 'b' }, podSpec({ cpu: '1' }, { priorityClassName: 'high' }))) ?? '',
      /exceeded quota: high/,
    );
  });

  it('charges a pod that is given a deadline to the quotas of such pods', async () => {
    await quota({ pods: '1' }, { name: 'ending', spec: { scopes: ['Terminating'] }, used: { pods: '0' } });
    await quota({ pods: '1' }, { name: 'lasting', spec: { scopes: ['NotTerminating'] }, used: { pods: '1' } });
    const withDeadline = (seconds?: number) =>
      hubObject(
        pod,
        { name: 'p', namespace },
        podSpec(undefined, seconds === undefined ? {} : { activeDeadlineSeconds: seconds }),
      );
    const change = (object: ApiObject, oldObject: ApiObject, more: object = {}) =>
      refusalOf(pluginOf(stores), requestFor('pods', object, { operation: 'UPDATE', oldObject, ...more }));
    const old = withDeadline();
    old.metadata.resourceVersion = '1';
    assert.equal(await change(withDeadline(), old), undefined);
    assert.equal(await change(withDeadline(60), old, { subresource: 'status' }), undefined);
    assert.equal(await change(withDeadline(60), old), undefined);
    assert.match(
      (await change(withDeadline(60), old)) ?? '',
      /exceeded quota: ending, requested: pods=1, used: pods=1, limited: pods=1/,
    );
  });

  it('requires a quota where the operator does', async () => {
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'ResourceQuotaConfiguration',
      limitedResources: [
        { resource: 'secrets', matchContains: ['secrets'] },
        { resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high', 'top'] }] },
      ],
    };
    assert.equal(
      await made(secret, { name: 'a' }, {}, { configuration }),
      '403 secrets "a" is forbidden: insufficient quota to consume: count/secrets,secrets',
    );
    assert.equal(
      await made(pod, { name: 'p' }, podSpec(undefined, { priorityClassName: 'high' }), { configuration }),
      '500 insufficient quota to match these scopes: [{PriorityClass In [high top]}]',
    );
    assert.equal(await made(pod, { name: 'p' }, podSpec(), { configuration }), undefined);
    await quota(
      { pods: '5' },
      {
        spec: {
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
        },
        used: { pods: '0' },
      },
    );
    assert.equal(
      await made(pod, { name: 'q' }, podSpec(undefined, { priorityClassName: 'high' }), { configuration }),
      undefined,
    );
  });

  it('does not start with a configuration that is wrong', () => {
    const kind = { apiVersion: 'resourcequota.admission.k8s.io/v1beta1', kind: 'Configuration' };
    assert.deepEqual(limitedResources(kind), []);
    assert.throws(() => limitedResources({ ...kind, apiVersion: 'v1' }), /no configuration of apiVersion and kind/);
    assert.throws(
      () => limitedResources({ ...kind, limitedResources: [{}] }),
      /limitedResources\[0\]\.resource must name a resource/,
    );
    assert.throws(
      () => limitedResources({ ...kind, limitedResources: [{ resource: 'pods', matchContains: 'x' }] }),
      /limitedResources\[0\]\.matchContains must be a list/,
    );
  });
});

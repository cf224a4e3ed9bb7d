import assert from 'node:assert/strict';
import { events, pods } from '../../api/core/tokens.ts';
import { resourceClaims, resourceClaimTemplates } from '../../api/resource/tokens.ts';
import type { Pod, PodResourceClaim } from '../../generated/types/core-v1.ts';
import type { ResourceClaim } from '../../generated/types/resource-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { resourceClaimController } from './controller.ts';

const CONFIG = { workers: { resourceClaim: 10 } } as ControllersConfig;
const DEVICES = { requests: [{ name: 'one', exactly: { deviceClassName: 'gpu.example.org' } }] };
const FINALIZER = 'resource.kubernetes.io/delete-protection';

describe('the resource claim controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await fixture.start(resourceClaimController.create(fixture.context, CONFIG)!);
  });
  afterEach(() => fixture.stop());

  const pass = (): Promise<void> => fixture.clock.advance(1000);
  const template = (): Promise<unknown> =>
    fixture.client.create(resourceClaimTemplates, {
      metadata: { namespace: 'ns', name: 'gpu' },
      spec: { metadata: { labels: { a: 'b' } }, spec: { devices: DEVICES } },
    });
  const pod = (name: string, claim: Partial<PodResourceClaim>, nodeName?: string): Promise<Pod> =>
    fixture.client.create(pods, {
      metadata: { namespace: 'ns', name },
      spec: { containers: [], nodeName, resourceClaims: [{ name: 'dev', ...claim }] },
      status: {},
    });
  const claims = async (): Promise<readonly ResourceClaim[]> => (await fixture.client.list(resourceClaims)).items;
  const allocated = (name: string, users: readonly Pod[], finalizers = [FINALIZER]): Promise<ResourceClaim> =>
    fixture.client.create(resourceClaims, {
      metadata: { namespace: 'ns', name, finalizers },
      spec: { devices: DEVICES },
      status: {
        allocation: { devices: {} },
        reservedFor: users.map(({ metadata }) => ({ resource: 'pods', name: metadata.name!, uid: metadata.uid! })),
      },
    });
  const remove = (name: string): Promise<void> =>
    fixture.client.delete(pods, { namespace: 'ns', name }, { gracePeriodSeconds: 0 });

  it('makes one claim of a template for each pod', async () => {
    await template();
    const { metadata } = await pod('user', { resourceClaimTemplateName: 'gpu' });
    await pass();
    const [claim, ...others] = await claims();
    assert.equal(others.length, 0);
    assert.equal(claim!.metadata.generateName, 'user-dev-');
    assert.deepEqual(claim!.metadata.labels, { a: 'b' });
    assert.deepEqual(claim!.metadata.annotations, { 'resource.kubernetes.io/pod-claim-name': 'dev' });
    assert.deepEqual(claim!.metadata.ownerReferences, [
      { apiVersion: 'v1', kind: 'Pod', name: 'user', uid: metadata.uid, controller: true },
    ]);
    const { status } = await fixture.client.get(pods, { namespace: 'ns', name: 'user' });
    assert.deepEqual(status.resourceClaimStatuses, [{ name: 'dev', resourceClaimName: claim!.metadata.name }]);
    const before = fixture.requests.length;
    await fixture.clock.advance(60_000);
    assert.equal(fixture.requests.length, before);
  });

  it('waits for a template that is not there', async () => {
    await pod('user', { resourceClaimTemplateName: 'gpu' });
    await fixture.clock.advance(0);
    await fixture.context.recorder('resource_claim').flush();
    assert.deepEqual(
      (await fixture.client.list(events)).items.map(({ reason, message }) => `${reason}: ${message}`).slice(0, 1),
      [
        'FailedResourceClaimCreation: PodResourceClaim dev: resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found',
      ],
    );
    await template();
    await pass();
    assert.equal((await claims()).length, 1);
  });

  it('frees the devices of a claim after its last pod', async () => {
    const users = [await pod('a', { resourceClaimName: 'shared' }), await pod('b', { resourceClaimName: 'shared' })];
    await allocated('shared', users);
    await pass();
    await remove('a');
    await pass();
    const [half] = await claims();
    assert.deepEqual(
      half!.status?.reservedFor?.map(({ name }) => name),
      ['b'],
    );
    assert.ok(half!.status?.allocation !== undefined);
    await remove('b');
    await pass();
    const [free] = await claims();
    assert.equal(free!.status?.allocation, undefined);
    assert.equal(free!.status?.reservedFor, undefined);
    assert.deepEqual(free!.metadata.finalizers ?? [], []);
  });

  it('leaves devices that another program allocated', async () => {
    await allocated('other', [await pod('a', { resourceClaimName: 'other' })], []);
    await pass();
    await remove('a');
    await pass();
    const [claim] = await claims();
    assert.ok(claim!.status?.allocation !== undefined);
    assert.equal(claim!.status?.reservedFor, undefined);
  });

  it('reserves allocated claims for pods that did not pass the scheduler', async () => {
    await allocated('shared', []);
    const { metadata } = await pod('user', { resourceClaimName: 'shared' }, 'node');
    await pass();
    assert.deepEqual((await claims())[0]!.status?.reservedFor, [{ resource: 'pods', name: 'user', uid: metadata.uid }]);
  });

  it('deletes the claims of pods that have ended', async () => {
    await template();
    await pod('user', { resourceClaimTemplateName: 'gpu' });
    await pass();
    const name = { namespace: 'ns', name: 'user' };
    await fixture.client.patch(pods, name, 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
    await pass();
    assert.equal((await claims()).length, 0);
  });
});

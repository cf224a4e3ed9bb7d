import assert from 'node:assert/strict';
import { pods } from '../../api/core/tokens.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { QueueController } from '../queue-controller.ts';
import { ObjectsByController, PodsByNode } from './pod-indexes.ts';

describe('indexes of pods', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const create = (name: string, owner: string | undefined, nodeName?: string): Promise<Pod> =>
    fixture.client.create(pods, {
      metadata: {
        name,
        namespace: 'ns',
        ...(owner === undefined
          ? {}
          : { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner, controller: true }] }),
      },
      spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
      status: {},
    });

  it('find the pods of an owner, those without one, and those of a node', async () => {
    const informer = fixture.context.informers.informer(pods);
    const byOwner = new ObjectsByController(informer);
    const byNode = new PodsByNode(informer);
    const controller = new QueueController(fixture.context, { name: 'x', workers: 1, reconcile: () => undefined });
    controller.follow(informer, () => []);
    await create('a', 'one', 'n1');
    await create('b', 'two', 'n1');
    await create('c', undefined, 'n2');
    await fixture.start(controller);
    const names = (found: readonly Pod[]): unknown => found.map(({ metadata }) => metadata.name).sort();
    assert.deepEqual(names(byOwner.ownedBy('one')), ['a']);
    assert.deepEqual(names(byOwner.orphans('ns')), ['c']);
    assert.deepEqual(names(byNode.on('n1')), ['a', 'b']);
    await fixture.client.patch(pods, { namespace: 'ns', name: 'a' }, 'merge', { metadata: { ownerReferences: null } });
    await fixture.clock.advance(0);
    assert.deepEqual([names(byOwner.ownedBy('one')), names(byOwner.orphans('ns'))], [[], ['a', 'c']]);
  });
});

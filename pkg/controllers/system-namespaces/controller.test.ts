import assert from 'node:assert/strict';
import { namespaces } from '../../api/core/tokens.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { systemNamespacesController } from './controller.ts';

describe('the system-namespaces controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const names = async () =>
    (await fixture.client.list(namespaces)).items.map(({ metadata }) => metadata.name).toSorted();

  it('makes those that are missing, now and later, and no others', async () => {
    const namespace = (name: string) => ({ metadata: { name }, spec: {}, status: {} });
    await fixture.client.create(namespaces, namespace('default'));
    await fixture.client.create(namespaces, namespace('mine'));
    await fixture.start(systemNamespacesController(fixture.context));
    const system = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
    assert.deepEqual(await names(), [...system, 'mine']);
    await fixture.client.delete(namespaces, { name: 'kube-public' });
    await fixture.client.delete(namespaces, { name: 'mine' });
    await fixture.clock.advance(0);
    assert.deepEqual([await names(), fixture.errors], [system, []]);
    assert.equal(fixture.client.writes.filter(({ verb }) => verb === 'create').length, 2 + 3 + 1);
  });
});

import assert from 'node:assert/strict';
import { namespaces } from '../../api/core/tokens.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { namespaceController } from './controller.ts';

const HOUR_MS = 3_600_000;
const configOf = (resyncMs: number): ControllersConfig =>
  ({ workers: { namespace: 1 }, namespace: { resyncMs } }) as ControllersConfig;

describe('the namespace controller', () => {
  let fixture: ControllersFixture;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    fixture.client.paths.set('/apis', { groups: [] }).set('/api/v1', { resources: [] });
    const metadata = { name: 'held', finalizers: ['example.com/held'] };
    await fixture.client.create(namespaces, { metadata, spec: {}, status: { phase: 'Active' } });
    await fixture.client.delete(namespaces, { name: 'held' });
  });
  afterEach(() => fixture.stop());
  const reads = (): number =>
    fixture.requests.filter(({ verb, resource }) => verb === 'get' && resource === 'namespaces').length;

  it('looks at a deleted namespace again after the period', async () => {
    await fixture.start(namespaceController.create(fixture.context, configOf(HOUR_MS))!);
    await fixture.clock.advance(1000);
    const first = reads();
    await fixture.clock.advance(HOUR_MS);
    assert.deepEqual([first, reads()], [1, 2]);
  });

  it('looks at it once where there is no period', async () => {
    await fixture.start(namespaceController.create(fixture.context, configOf(0))!);
    await fixture.clock.advance(2 * HOUR_MS);
    assert.equal(reads(), 1);
  });
});

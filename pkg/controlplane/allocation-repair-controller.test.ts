import assert from 'node:assert/strict';
import { ControllersFixture } from '../controllers/controllers-testing.ts';
import type { AllocationRepair } from '../registry/allocators/repair.ts';
import { allocationRepairController } from './allocation-repair-controller.ts';

describe('the controller of the repair of allocations', () => {
  it('looks every second whether a round is due, reports one that fails, and goes on', async () => {
    const fixture = new ControllersFixture();
    let rounds = 0;
    const runWhenDue = async (): Promise<void> => {
      if (++rounds === 2) throw new Error('no store');
    };
    await fixture.start(allocationRepairController(fixture.context, { runWhenDue } as AllocationRepair));
    await fixture.clock.advance(10_000);
    await fixture.stop();
    assert.ok(rounds >= 10, String(rounds));
    assert.deepEqual(fixture.errors, ['service-allocation-repair services: no store']);
  });
});

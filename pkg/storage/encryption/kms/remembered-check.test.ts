import assert from 'node:assert/strict';
import { rememberedCheck } from './remembered-check.ts';

describe('rememberedCheck', () => {
  it('checks once in 20 s while the service is healthy, and in 3 s while it is not', async () => {
    let now = 0;
    let asked = 0;
    let well = true;
    const check = rememberedCheck(
      async () => {
        asked++;
        if (!well) throw new Error('sealed');
      },
      () => now,
    );
    await Promise.all([check(), check(), check()]);
    assert.equal(asked, 1);
    now = 19_999;
    well = false;
    await check();
    now = 20_000;
    await assert.rejects(check(), /sealed/);
    now = 22_999;
    well = true;
    await assert.rejects(check(), /sealed/);
    assert.equal(asked, 2);
    now = 23_000;
    await check();
    assert.equal(asked, 3);
  });

  it('checks again in time although the clock was set back', async () => {
    const [wall, steady] = [Date.now, performance.now];
    let asked = 0;
    const check = rememberedCheck(async () => void asked++);
    try {
      await check();
      Date.now = () => wall() - 3_600_000;
      performance.now = () => steady.call(performance) + 20_000;
      await check();
    } finally {
      [Date.now, performance.now] = [wall, steady];
    }
    assert.equal(asked, 2);
  });
});

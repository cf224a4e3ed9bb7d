import assert from 'node:assert/strict';
import { OpenParts } from './open-parts.ts';

describe('OpenParts', () => {
  it('closes in reverse order, each once, whatever fails', async () => {
    const closed: string[] = [];
    const parts = new OpenParts();
    parts.add(() => closed.push('store'));
    parts.add(async () => {
      await new Promise(setImmediate);
      closed.push('server');
      throw new Error('stuck');
    });
    parts.add(() => {
      closed.push('tasks');
      throw new Error('first');
    });
    await assert.rejects(parts.close(), { message: 'first' });
    assert.deepEqual(closed, ['tasks', 'server', 'store']);
    await parts.close();
    assert.equal(closed.length, 3);
  });
});

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
    assert.deepEqual(
      (await parts.close()).map((error) => (error as Error).message),
      ['first', 'stuck'],
    );
    assert.deepEqual(closed, ['tasks', 'server', 'store']);
    assert.deepEqual(await parts.close(), []);
    assert.equal(closed.length, 3);
  });

  it('waits for what is still being opened, and for nothing that could not be', async () => {
    const closed: string[] = [];
    const parts = new OpenParts();
    const slow = new Promise<string>((resolve) => {
      setTimeout(() => resolve('slow'), 20);
    });
    const opening = Promise.all([
      parts.addOpening(slow, (name) => closed.push(name)),
      parts.addOpening(Promise.reject<string>(new Error('absent')), (name) => closed.push(name)),
    ]);
    await assert.rejects(opening, { message: 'absent' });
    await parts.close();
    assert.deepEqual(closed, ['slow']);
  });
});

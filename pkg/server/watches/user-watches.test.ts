import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { UserWatches } from './user-watches.ts';

const refused = (error: unknown): boolean =>
  error instanceof StatusError && error.code === 429 && error.status.details?.retryAfterSeconds === 5;

describe('UserWatches', () => {
  it('bounds the watches of each user separately', () => {
    const users = new UserWatches({ watchesMax: 2, bytesMax: 0 });
    const first = users.take('anna', 10);
    users.take('anna', 10);
    assert.throws(() => users.take('anna', 0), refused);
    users.take('bert', 10);
    first.release();
    users.take('anna', 10);
    assert.throws(() => users.take('anna', 0), refused);
  });

  it('bounds the bytes of their selectors, and takes watches without any', () => {
    const users = new UserWatches({ watchesMax: 0, bytesMax: 100 });
    const first = users.take('anna', 60);
    assert.throws(() => users.take('anna', 41), refused);
    assert.equal(users.bytesLeft('anna'), 40);
    users.take('anna', 0);
    users.take('bert', 100);
    first.release();
    users.take('anna', 100);
    assert.equal(users.bytesLeft('anna'), 0);
  });

  it('takes everything without limits', () => {
    const users = new UserWatches({ watchesMax: 0, bytesMax: 0 });
    for (let i = 0; i < 1000; i++) users.take('anna', 1e9);
    assert.equal(users.bytesLeft('anna'), Number.POSITIVE_INFINITY);
  });
});

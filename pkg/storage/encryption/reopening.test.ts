import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Reopening } from './reopening.ts';
import { KeyServiceError, ValueTransformError, type OpenedValue } from './value-transformer.ts';

const opened: OpenedValue = { value: new Uint8Array(), stale: false };
const silent = new KeyServiceError('no answer');

describe('Reopening', () => {
  it('reports once that a key service answers again, however many values could not be decrypted', async () => {
    let told = 0;
    await new Promise<void>((heard) => {
      const reopening = new Reopening(() => {
        told++;
        heard();
        return true;
      }, 1);
      for (const key of ['a', 'b', 'c']) reopening.failed(key, silent, () => opened);
    });
    await sleep(20);
    assert.equal(told, 1);
  });

  it('reports it again when no watch was open', async () => {
    let told = 0;
    await new Promise<void>((heard) => {
      const reopening = new Reopening(() => {
        if (++told === 3) heard();
        return told === 3;
      }, 1);
      reopening.failed('a', silent, () => opened);
    });
    assert.equal(told, 3);
  });

  it('does not retry other failures, removed values, or anything after it was stopped', async () => {
    let tries = 0;
    const open = (): OpenedValue => {
      tries++;
      return opened;
    };
    const reopening = new Reopening(() => true, 1);
    reopening.failed('a', new ValueTransformError('no key fits'), open);
    reopening.failed('b', silent, open);
    reopening.forget('b');
    await sleep(20);
    reopening.failed('c', silent, open);
    reopening.stop();
    await sleep(20);
    assert.equal(tries, 0);
  });
});

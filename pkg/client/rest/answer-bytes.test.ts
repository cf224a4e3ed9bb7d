import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { answerBytes, discardAnswer } from './answer-bytes.ts';

describe('answers', () => {
  const broken = (): Readable => {
    const body = new Readable({ read: () => undefined });
    body.push('begun');
    setImmediate(() => body.destroy());
    return body;
  };

  it('are read to their end, up to a bound', async () => {
    assert.equal(String(await answerBytes(Readable.from([Buffer.from('one '), Buffer.from('two')]), 7)), 'one two');
    assert.equal((await answerBytes(Readable.from([]), 7)).length, 0);
    await assert.rejects(answerBytes(Readable.from([Buffer.alloc(8)]), 7), /larger than 7 bytes/);
    await discardAnswer(Readable.from([Buffer.from('one')]));
  });

  it('that break off are failures', async () => {
    await assert.rejects(answerBytes(broken(), 7), /the answer broke off/);
    await assert.rejects(discardAnswer(broken()), /the answer broke off/);
  });
});

import assert from 'node:assert/strict';
import { WarningRecorder } from './warning-recorder.ts';

function recorded(texts: Iterable<string>): readonly string[] {
  const recorder = new WarningRecorder();
  for (const text of texts) recorder.add(text);
  return recorder.texts;
}

describe('recorded warnings', () => {
  it('keep each distinct text once, in order', () => {
    assert.deepEqual(recorded(['b', 'a', 'b', '', 'a', 'c']), ['b', 'a', 'c']);
  });

  it('are whole while all fit', () => {
    const texts = [`1${'x'.repeat(2000)}`, `2${'x'.repeat(2000)}`];
    assert.deepEqual(recorded(texts), texts);
  });

  it('are cut from the first that does not fit, also the earlier ones', () => {
    const texts = [1, 2, 3].map((i) => `${i}${'x'.repeat(2000)}`);
    assert.deepEqual(
      recorded(texts),
      texts.map((text) => text.slice(0, 256)),
    );
  });

  it('end where the cut ones fill the length', () => {
    const kept = recorded(Array.from({ length: 100_000 }, (_, i) => `${i} ${'x'.repeat(300)}`));
    assert.equal(kept.length, 16);
    assert.ok(kept.every((text) => text.length === 256));
  });

  it('keep few of a hundred thousand short ones, and look at none after the last', () => {
    const recorder = new WarningRecorder();
    let added = 0;
    for (; !recorder.full; added++) recorder.add(`duplicate name ${added}`);
    assert.ok(added < 300, `${added} were added`);
    recorder.add('one more');
    assert.equal(recorder.texts.length, added);
  });
});

import assert from 'node:assert/strict';
import { pod } from '../../api/core/pod/pod.ts';
import { SharedSelections } from './shared-selections.ts';
import type { Selection } from './selectors.ts';

describe('SharedSelections', () => {
  let made: number;
  const compile = (): Selection => ({ matches: undefined, text: String(++made), name: undefined, exact: [], bytes: 0 });

  beforeEach(() => {
    made = 0;
  });

  it('makes each once and forgets the one that was not used for the longest time', () => {
    const shared = new SharedSelections(30);
    const get = (labels: string): Selection => shared.get(pod, labels, '', compile);
    const first = get('a'.repeat(10));
    get('b'.repeat(10));
    assert.equal(get('a'.repeat(10)), first);
    get('c'.repeat(10));
    assert.equal(get('a'.repeat(10)), first);
    assert.equal(made, 3);
    get('b'.repeat(10));
    assert.equal(made, 4);
  });

  it('keeps nothing that is longer than all may be, nor what cannot be compiled', () => {
    const shared = new SharedSelections(30);
    for (let i = 0; i < 2; i++) shared.get(pod, 'a'.repeat(100), '', compile);
    assert.equal(made, 2);
    for (let i = 0; i < 2; i++)
      assert.throws(
        () =>
          shared.get(pod, 'x', '', () => {
            throw new Error('no selector');
          }),
        /no selector/,
      );
  });
});

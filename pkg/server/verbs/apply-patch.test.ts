import assert from 'node:assert/strict';
import { PatchError } from '../../apimachinery/patch/patch-error.ts';
import { applyPatch, type PatchTask } from './apply-patch.ts';

const document = {
  metadata: { name: 'p' },
  spec: {
    containers: [
      { name: 'a', image: '1' },
      { name: 'b', image: '2' },
    ],
  },
};
const task = (type: PatchTask['type'], patch: unknown): PatchTask => ({
  type,
  document,
  patch,
  message: 'core/v1.Pod',
});
const containers = (value: unknown) => (value as typeof document).spec.containers;

describe('applyPatch', () => {
  it('applies each type by its own rules', () => {
    const patch = { spec: { containers: [{ name: 'b', image: '3' }] } };
    assert.deepEqual(containers(applyPatch(task('merge', patch))), [{ name: 'b', image: '3' }]);
    assert.deepEqual(
      containers(applyPatch(task('strategic', patch))).find((c) => c.name === 'b'),
      { name: 'b', image: '3' },
    );
    assert.equal(containers(applyPatch(task('strategic', patch))).length, 2);
    assert.deepEqual(
      containers(applyPatch(task('json', [{ op: 'replace', path: '/spec/containers/1/image', value: '3' }]))),
      [
        { name: 'a', image: '1' },
        { name: 'b', image: '3' },
      ],
    );
  });

  it('leaves its inputs as they are', () => {
    const before = structuredClone(document);
    const patch = { spec: { containers: null, nodeName: 'n' }, metadata: { labels: { a: 'b' } } };
    const patchBefore = structuredClone(patch);
    for (const type of ['merge', 'strategic'] as const) applyPatch(task(type, patch));
    applyPatch(task('json', [{ op: 'remove', path: '/spec' }]));
    assert.deepEqual([document, patch], [before, patchBefore]);
  });

  it('throws PatchErrors alone for wrong patches', () => {
    for (const [type, patch] of [
      ['json', {}],
      ['json', [{ op: 'nope', path: '/x' }]],
      ['json', [{ op: 'remove', path: '/absent' }]],
      ['strategic', { spec: { containers: [{ image: 'no key' }] } }],
    ] as const) {
      assert.throws(() => applyPatch(task(type, patch)), PatchError, JSON.stringify(patch));
    }
  });
});

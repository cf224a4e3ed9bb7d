import assert from 'node:assert/strict';
import { StatusError } from '../apimachinery/errors/status-error.ts';
import { checkDeleteOptions, type DeleteOptionsBody } from './delete-options.ts';

describe('checkDeleteOptions', () => {
  const accepted: readonly (readonly [DeleteOptionsBody, object])[] = [
    [{}, {}],
    [{ gracePeriodSeconds: 0 }, { gracePeriodSeconds: 0 }],
    [{ gracePeriodSeconds: 30 }, { gracePeriodSeconds: 30 }],
    [{ gracePeriodSeconds: -1 }, { gracePeriodSeconds: 1 }],
    [{ orphanDependents: false }, { orphanDependents: false }],
    [
      { propagationPolicy: 'Foreground', dryRun: ['All'] },
      { propagationPolicy: 'Foreground', dryRun: ['All'] },
    ],
    [{ dryRun: [] }, { dryRun: [] }],
    [{ dryRun: ['All', 'All'] }, { dryRun: ['All', 'All'] }],
    [{ preconditions: { uid: 'u', resourceVersion: '1' } }, { preconditions: { uid: 'u', resourceVersion: '1' } }],
  ];
  for (const [body, options] of accepted)
    it(`takes ${JSON.stringify(body)}`, () => assert.deepEqual(checkDeleteOptions(body), options));

  const refused: readonly (readonly [DeleteOptionsBody, string])[] = [
    [
      { orphanDependents: true, propagationPolicy: 'Orphan' },
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      { propagationPolicy: 'orphan' },
      'propagationPolicy: Unsupported value: "orphan": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: '' },
      'propagationPolicy: Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [{ dryRun: ['None'] }, 'dryRun: Unsupported value: ["None"]: supported values: "All"'],
    [{ dryRun: ['All', 'x'] }, 'dryRun: Unsupported value: ["All","x"]: supported values: "All"'],
  ];
  for (const [body, problem] of refused) {
    it(`refuses ${JSON.stringify(body)}`, () =>
      assert.throws(
        () => checkDeleteOptions(body),
        (e) =>
          e instanceof StatusError &&
          e.code === 422 &&
          (assert.equal(e.message, `DeleteOptions.meta.k8s.io "" is invalid: ${problem}`), true),
      ));
  }

  it('reports everything that is wrong at once', () => {
    assert.throws(
      () => checkDeleteOptions({ orphanDependents: true, propagationPolicy: 'x', dryRun: ['y'] }),
      (e) => e instanceof StatusError && e.status.details?.causes?.length === 3,
    );
  });
});

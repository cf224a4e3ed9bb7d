import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../../apimachinery/errors/field-errors.ts';
import { field } from '../../apimachinery/errors/field-path.ts';
import {
  isExtendedResourceName,
  isIntegerResourceName,
  isNativeResource,
  isOvercommitAllowed,
  isStandardContainerResourceName,
  isStandardResourceName,
  validateResourceName,
  validateResourceQuantityValue,
} from './resource-names.ts';

/** Which of the checks a name passes: standard, standard in containers, native, extended, integer, overcommit. */
const NAMES: [name: string, passes: string][] = [
  ['cpu', 'scno'],
  ['pods', 'snio'],
  ['requests.storage', 'sno'],
  ['hugepages-2Mi', 'scn'],
  ['requests.hugepages-2Mi', 'sno'],
  ['example.com/gpu', 'ei'],
  ['kubernetes.io/x', 'no'],
  ['requests.example.com/gpu', ''],
  ['bogus', 'no'],
];

describe('resource names', () => {
  for (const [name, passes] of NAMES) {
    it(`knows ${name}`, () => {
      const checks: [string, (name: string) => boolean][] = [
        ['s', isStandardResourceName],
        ['c', isStandardContainerResourceName],
        ['n', isNativeResource],
        ['e', isExtendedResourceName],
        ['i', isIntegerResourceName],
        ['o', isOvercommitAllowed],
      ];
      assert.equal(
        checks
          .filter(([, check]) => check(name))
          .map(([letter]) => letter)
          .join(''),
        passes,
      );
    });
  }

  it('reports errors of names and amounts', () => {
    const errors = new FieldErrors();
    validateResourceName('bogus', field('a'), errors);
    validateResourceName('example.com/gpu', field('b'), errors);
    validateResourceQuantityValue('cpu', '-1', field('c'), errors);
    validateResourceQuantityValue('cpu', '1500m', field('d'), errors);
    validateResourceQuantityValue('pods', '1500m', field('e'), errors);
    const texts = errors.items.map(fieldErrorText);
    assert.deepEqual(texts.slice(0, 2), [
      'a: Invalid value: "bogus": must be a standard resource type or fully qualified',
      'c: Invalid value: "-1": must be greater than or equal to 0',
    ]);
    assert.match(texts[2]!, /^e: Invalid value: "1500m": must be an integer$/);
    assert.equal(texts.length, 3);
  });
});

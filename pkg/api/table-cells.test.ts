import assert from 'node:assert/strict';
import { age, humanDuration, labelSelectorText, labelsText } from './table-cells.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('table cells', () => {
  const durations: [number, string][] = [
    [-5 * SECOND, '<invalid>'],
    [-1.5 * SECOND, '0s'],
    [0, '0s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [5 * MINUTE + 30 * SECOND, '5m30s'],
    [10 * MINUTE + 5 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 5 * MINUTE, '7h5m'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [3 * DAY + 4 * HOUR, '3d4h'],
    [8 * DAY + HOUR, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [740 * DAY, '2y10d'],
    [365 * 9 * DAY, '9y'],
  ];
  for (const [ms, text] of durations) it(`prints ${ms} ms as ${text}`, () => assert.equal(humanDuration(ms), text));

  it('counts ages from a timestamp', () => {
    assert.equal(age('2026-01-02T03:00:00Z', Date.parse('2026-01-02T03:05:00Z')), '5m');
    assert.equal(age(null, 0), '<unknown>');
    assert.equal(age(undefined, 0), '<unknown>');
  });

  it('prints selectors and labels in order', () => {
    assert.equal(labelsText({ b: '2', a: '1' }), 'a=1,b=2');
    assert.equal(labelsText(undefined), '<none>');
    assert.equal(
      labelSelectorText({
        matchLabels: { b: '2', a: '1' },
        matchExpressions: [{ key: 'c', operator: 'In', values: ['y', 'x'] }],
      }),
      'a=1,b=2,c in (x,y)',
    );
    assert.equal(labelSelectorText({}), '<none>');
    assert.equal(labelSelectorText(undefined), '<none>');
    assert.equal(labelSelectorText({ matchExpressions: [{ key: 'c', operator: 'Near', values: [] }] }), '<error>');
  });
});

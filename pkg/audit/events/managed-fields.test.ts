import assert from 'node:assert/strict';
import { withoutManagedFields } from './managed-fields.ts';

describe('withoutManagedFields', () => {
  const object = { metadata: { name: 'x', managedFields: [{ manager: 'm' }] } };
  const bare = { metadata: { name: 'x' } };
  for (const [name, document, expected] of [
    ['an object', object, bare],
    ['a list', { metadata: {}, items: [object, null, 7] }, { metadata: {}, items: [bare, null, 7] }],
    [
      'a table',
      { kind: 'Table', rows: [{ cells: ['x'], object }, { cells: [], object: null }, null] },
      { kind: 'Table', rows: [{ cells: ['x'], object: bare }, { cells: [], object: null }, null] },
    ],
    ['what only looks like one', [object, 'managedFields'], [object, 'managedFields']],
    [
      'data of that name',
      { metadata: null, data: { managedFields: 'mine' } },
      { metadata: null, data: { managedFields: 'mine' } },
    ],
  ] as const) {
    it(`removes them from ${name}`, () =>
      assert.deepEqual(JSON.parse(withoutManagedFields(JSON.stringify(document))), expected));
  }
});

import assert from 'node:assert/strict';
import { asks, person } from '../authorization-testing.ts';
import { CompiledRole, roleQuestion } from './compiled-role.ts';

describe('CompiledRole', () => {
  it('takes no more room than its rules, however many combinations they have', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`);
    const role = new CompiledRole([{ verbs: words, apiGroups: words, resources: words, resourceNames: words }]);
    const asked = (apiGroup: string, resource: string, verb: string, name: string): boolean =>
      role.allows(roleQuestion(asks(person('u'), verb, resource, { apiGroup, name })));
    assert.deepEqual(
      [
        asked('w1', 'w19999', 'w3', 'w4'),
        asked('w1', 'w2', 'w3', ''),
        asked('', 'w2', 'w3', 'w4'),
        asked('w1', 'x', 'w3', 'w4'),
        asked('w1', 'w2', '*', 'w4'),
      ],
      [true, false, false, false, false],
    );
  });
});

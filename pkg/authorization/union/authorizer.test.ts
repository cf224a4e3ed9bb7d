import assert from 'node:assert/strict';
import { asks, person, saying } from '../authorization-testing.ts';
import { unionAuthorizer, UndecidedError } from './authorizer.ts';

const asked = asks(person('u'), 'get', 'pods');

describe('several modes', () => {
  it('run in their order until one decides', async () => {
    const [yes, no, none] = [saying('allow', 'yes'), saying('deny', 'no'), saying('no-opinion', 'who knows')];
    assert.deepEqual(await unionAuthorizer([none, yes, no]).authorize(asked), { decision: 'allow', reason: 'yes' });
    assert.deepEqual(await unionAuthorizer([none, no, yes]).authorize(asked), { decision: 'deny', reason: 'no' });
  });

  it('without an opinion report all their reasons', async () => {
    assert.deepEqual(
      await unionAuthorizer([saying('no-opinion', 'a'), saying('no-opinion'), saying('no-opinion', 'b')]).authorize(
        asked,
      ),
      { decision: 'no-opinion', reason: 'a\nb' },
    );
    assert.deepEqual(await unionAuthorizer([]).authorize(asked), { decision: 'no-opinion', reason: '' });
  });

  it('continue where one fails, and fail where no other decides', async () => {
    const down = saying(new Error('down'));
    assert.equal((await unionAuthorizer([down, saying('allow')]).authorize(asked)).decision, 'allow');
    assert.equal((await unionAuthorizer([down, saying('deny')]).authorize(asked)).decision, 'deny');
    await assert.rejects(
      async () => unionAuthorizer([down, saying('no-opinion', 'a'), saying(new Error('gone'))]).authorize(asked),
      (error) => error instanceof UndecidedError && error.message === '[down, gone]' && error.reason === 'a',
    );
  });

  it('join their rules', async () => {
    const rules = (verb: string, more: object = {}) => ({
      ...saying('allow'),
      rulesFor: () => ({
        resourceRules: [{ verbs: [verb], apiGroups: [''], resources: ['pods'] }],
        nonResourceRules: [],
        incomplete: false,
        ...more,
      }),
    });
    assert.deepEqual(
      await unionAuthorizer([rules('get'), rules('list', { incomplete: true, evaluationError: 'part' })]).rulesFor(
        person('u'),
        'ns',
      ),
      {
        resourceRules: [
          { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
          { verbs: ['list'], apiGroups: [''], resources: ['pods'] },
        ],
        nonResourceRules: [],
        incomplete: true,
        evaluationError: 'part',
      },
    );
  });
});

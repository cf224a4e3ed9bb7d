import assert from 'node:assert/strict';
import { asks, person } from '../authorization-testing.ts';
import { DecisionMemory } from './decision-memory.ts';

const alice = person('alice', 'staff');
const allowed = { decision: 'allow', reason: 'told so' } as const;

/** A cache that has seen alice before. */
function memoryOfAlice(): DecisionMemory {
  const memory = new DecisionMemory();
  memory.keep(asks(alice, 'delete', 'nodes'), allowed);
  return memory;
}

describe('DecisionMemory', () => {
  it('caches nothing of the first request of a user', () => {
    assert.equal(memoryOfAlice().recall(asks(alice, 'delete', 'nodes'), 0), undefined);
  });

  it('finds a request again, with any object name', () => {
    const memory = memoryOfAlice();
    memory.keep(asks(alice, 'get', 'pods', { namespace: 'a', name: 'p' }), allowed);
    assert.equal(memory.recall(asks(alice, 'get', 'pods', { namespace: 'a', name: 'q' }), 0), allowed);
  });

  it('distinguishes requests and users', () => {
    const memory = memoryOfAlice();
    memory.keep(asks(alice, 'get', 'pods/log', { apiGroup: 'g', namespace: 'a' }), allowed);
    for (const other of [
      asks(alice, 'list', 'pods/log', { apiGroup: 'g', namespace: 'a' }),
      asks(alice, 'get', 'pods/log', { namespace: 'a' }),
      asks(alice, 'get', 'pods', { apiGroup: 'g', namespace: 'a' }),
      asks(alice, 'get', 'pods/log', { apiGroup: 'g' }),
      asks(person('alice', 'staff'), 'get', 'pods/log', { apiGroup: 'g', namespace: 'a' }),
      asks(alice, 'get', 'podslog', { apiGroup: 'g', namespace: 'a' }),
      asks(alice, 'getg', 'pods/log', { namespace: 'a' }),
      asks(alice, 'get', 'pods/loga', { apiGroup: 'g' }),
      asks(alice, '3 1 4 3 getg', 'pods/log', { namespace: 'a' }),
    ])
      assert.equal(memory.recall(other, 0), undefined, JSON.stringify(other));
  });

  it('drops everything when the policy changes', () => {
    const memory = memoryOfAlice();
    memory.keep(asks(alice, 'get', 'pods'), allowed);
    assert.equal(memory.recall(asks(alice, 'get', 'pods'), 1), undefined);
    for (let i = 0; i < 2; i++) memory.keep(asks(alice, 'get', 'pods'), allowed);
    assert.equal(memory.recall(asks(alice, 'get', 'pods'), 1), allowed);
  });

  it('holds a bounded number of decisions', () => {
    const memory = memoryOfAlice();
    const questions = Array.from({ length: 30_000 }, (_, i) => asks(alice, 'get', `r${i}`));
    for (const question of questions) memory.keep(question, allowed);
    assert.equal(questions.filter((question) => memory.recall(question, 0) !== undefined).length, 9999);
  });

  it('caches no long requests, which could fill the memory', () => {
    const memory = memoryOfAlice();
    const long = 'x'.repeat(600);
    for (const question of [
      asks(alice, long, 'pods'),
      asks(alice, 'get', long),
      asks(alice, 'get', `pods/${long}`),
      asks(alice, 'get', 'pods', { namespace: long }),
      asks(alice, 'get', 'pods', { apiGroup: long }),
    ]) {
      memory.keep(question, allowed);
      assert.equal(memory.recall(question, 0), undefined);
    }
  });
});

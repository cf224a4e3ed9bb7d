import assert from 'node:assert/strict';
import { AdmissionChain, type AdmissionObserver, type AdmissionPlugin } from './admission.ts';
import { requestFor } from './plugin-testing.ts';

describe('AdmissionChain', () => {
  let events: string[];
  const observer: AdmissionObserver = {
    ofPlugin: (plugin, round) => (operation, rejected, seconds) => {
      assert.ok(seconds >= 0);
      events.push(`${plugin} ${round} ${operation} ${rejected}`);
    },
    ofRound: (round) => (operation, rejected) => void events.push(`${round} ${operation} ${rejected}`),
  };
  const plugin = (name: string, refuses = false): AdmissionPlugin => ({
    name,
    admit: async () => void events.push(`${name} admits`),
    validate: () => {
      if (refuses) throw new Error(`${name} refuses`);
    },
  });
  const request = requestFor('pods', { metadata: { name: 'p' } });
  beforeEach(() => {
    events = [];
  });

  it('runs plugins in their order, each in its rounds', async () => {
    const chain = new AdmissionChain([
      plugin('a'),
      { name: 'b', validate: () => void events.push('b validates') },
      plugin('c'),
    ]);
    await chain.admit(request);
    await chain.validate(request);
    assert.deepEqual(events, ['a admits', 'c admits', 'b validates']);
  });

  it('ends with the first refusal, and reports it', async () => {
    const chain = new AdmissionChain([plugin('a'), plugin('b', true), plugin('c')], observer);
    await assert.rejects(chain.validate(request), /b refuses/);
    assert.deepEqual(events, ['a validate CREATE false', 'b validate CREATE true', 'validate CREATE true']);
  });

  it('reports rounds that pass', async () => {
    await new AdmissionChain([plugin('a')], observer).admit(request);
    assert.deepEqual(events, ['a admits', 'a admit CREATE false', 'admit CREATE false']);
  });
});

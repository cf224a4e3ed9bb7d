import assert from 'node:assert/strict';
import { durationMs } from './duration.ts';

describe('durationMs', () => {
  for (const [text, ms] of [
    ['0', 0],
    ['250ms', 250],
    ['1h30m', 5_400_000],
    ['5m0s', 300_000],
    ['1.5s', 1500],
    ['', undefined],
    ['5', undefined],
    ['-5s', undefined],
    ['s', undefined],
    ['5 s', undefined],
    ['5d', undefined],
  ] as const) {
    it(`reads ${text || 'an empty text'} as ${ms}`, () => assert.equal(durationMs(text), ms));
  }
});

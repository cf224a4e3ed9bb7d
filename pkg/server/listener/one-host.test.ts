import assert from 'node:assert/strict';
import type { RawRequest } from '../request/request-context.ts';
import { namesOneHost } from './one-host.ts';

describe('namesOneHost', () => {
  const cases: readonly (readonly [httpVersion: string, names: readonly string[], expected: boolean])[] = [
    ['1.1', ['Host'], true],
    ['1.1', ['X', 'hOST', 'Hose'], true],
    ['1.1', [], false],
    ['1.1', ['Host', 'Accept', 'host'], false],
    ['1.0', [], true],
    ['1.0', ['Host'], true],
    ['1.0', ['Host', 'Host'], false],
    ['2.0', [], true],
  ];
  for (const [httpVersion, names, expected] of cases) {
    it(`is ${expected} for HTTP/${httpVersion} with ${names.join(', ') || 'none'}`, () => {
      assert.equal(
        namesOneHost({ httpVersion, rawHeaders: names.flatMap((name) => [name, 'Host']) } as unknown as RawRequest),
        expected,
      );
    });
  }
});

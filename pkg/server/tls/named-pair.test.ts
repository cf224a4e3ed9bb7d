import assert from 'node:assert/strict';
import { parseNamedPair } from './named-pair.ts';

describe('parseNamedPair', () => {
  const items: readonly (readonly [item: string, certFile: string, keyFile: string, patterns: readonly string[]])[] = [
    ['a.crt,a.key', 'a.crt', 'a.key', []],
    ['/etc/a.crt,/etc/a.key:*.example.com,example.com', '/etc/a.crt', '/etc/a.key', ['*.example.com', 'example.com']],
    [' a.crt , a.key : one.test , two.test ', 'a.crt', 'a.key', ['one.test', 'two.test']],
    ['a.crt,a.key:one.test,,', 'a.crt', 'a.key', ['one.test']],
  ];
  for (const [item, certFile, keyFile, patterns] of items) {
    it(`reads '${item}'`, () => assert.deepEqual(parseNamedPair(item), { certFile, keyFile, patterns }));
  }
});

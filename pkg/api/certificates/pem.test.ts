import assert from 'node:assert/strict';
import { pemBlocks } from './pem.ts';

const block = (type: string, body = 'AQID', end = type): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${end}-----\n`;
const types = (text: string): string[] => [...pemBlocks(text)].map((found) => found.type);

describe('PEM blocks', () => {
  it('are found between other text', () => {
    assert.deepEqual(types(`hello\n${block('A')}bye\n${block('B')}`), ['A', 'B']);
    assert.deepEqual([...pemBlocks(block('A'))][0], { type: 'A', headers: 0, bytes: Buffer.from([1, 2, 3]) });
  });

  it('may have headers', () => {
    assert.equal([...pemBlocks(block('A', 'Proc-Type: 4,ENCRYPTED\n\nAQID'))][0]?.headers, 1);
  });

  it('are skipped when broken', () => {
    assert.deepEqual(types(`${block('A', '!!')}${block('B', 'AQI')}${block('C', 'AQID', 'D')}${block('E')}`), ['E']);
    assert.deepEqual(types('x-----BEGIN A-----\nAQID\n-----END A-----\n'), []);
    assert.deepEqual(types('-----BEGIN A-----\nAQID\n'), []);
  });

  it('are looked for in linear time', () => {
    const started = performance.now();
    assert.deepEqual(types(`${'-----BEGIN A-----\n'.repeat(100_000)}-----END B-----\n`), []);
    assert.deepEqual(types('-----BEGIN A-----\n'.repeat(100_000)), []);
    assert.ok(performance.now() - started < 2000);
  });
});

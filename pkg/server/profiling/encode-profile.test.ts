import assert from 'node:assert/strict';
import type { Runtime } from 'node:inspector';
import { encodeProfile } from './encode-profile.ts';
import { readProfile } from './profile-testing.ts';

describe('encodeProfile', () => {
  const takenMs = Date.UTC(2026, 0, 2);
  const frame = (functionName: string, url = '', lineNumber = -1, columnNumber = -1): Runtime.CallFrame => ({
    functionName,
    url,
    scriptId: '1',
    lineNumber,
    columnNumber,
  });

  it('writes the stacks of the main thread with the time each one took', () => {
    const nodes = [
      { id: 1, callFrame: frame('(root)'), children: [2, 5] },
      { id: 2, callFrame: frame('outer', 'file:///srv/a.js', 4, 2), children: [3, 4] },
      { id: 3, callFrame: frame('inner', 'file:///srv/a.js', 9, 2) },
      { id: 4, callFrame: frame('', 'file:///srv/b.js', 11, 0) },
      { id: 5, callFrame: frame('(idle)') },
    ];
    const read = readProfile(
      encodeProfile({
        kind: 'cpu',
        takenMs,
        profile: {
          nodes,
          startTime: 1000,
          endTime: 61_000,
          samples: [2, 3, 5, 3, 4, 2, 1, 2],
          timeDeltas: [90_000, 9000, 10_000, 11_000, 10_000, -5, 10, 500],
        },
      }),
    );
    assert.deepEqual(read, {
      values: ['samples/count', 'cpu/nanoseconds'],
      period: '10000000 cpu/nanoseconds',
      takenMs,
      durationMs: 60,
      samples: [
        { stack: ['inner', 'outer'], files: ['/srv/a.js', '/srv/a.js'], values: [2, 20_000_000] },
        { stack: ['(anonymous) b.js:12', 'outer'], files: ['/srv/b.js', '/srv/a.js'], values: [1, 10_000_000] },
        { stack: ['outer'], files: ['/srv/a.js'], values: [1, 0] },
      ],
    });
  });

  it('writes a recording in which nothing happened', () => {
    const read = readProfile(
      encodeProfile({
        kind: 'cpu',
        takenMs,
        profile: {
          nodes: [{ id: 1, callFrame: frame('(root)') }],
          startTime: 5,
          endTime: 5,
          samples: [],
          timeDeltas: [],
        },
      }),
    );
    assert.deepEqual([read.values, read.samples], [['samples/count', 'cpu/nanoseconds'], []]);
  });

  it('writes where bytes in use were allocated', () => {
    const head = {
      callFrame: frame('(root)'),
      selfSize: 8,
      children: [
        {
          callFrame: frame('outer', 'node:fs', 3, 1),
          selfSize: 0,
          children: [{ callFrame: frame('inner', 'node:fs', 5, 1), selfSize: 600_000, children: [] }],
        },
      ],
    };
    const read = readProfile(encodeProfile({ kind: 'heap', takenMs, profile: { head } }));
    assert.deepEqual(
      [read.values, read.period, read.samples],
      [
        ['inuse_space/bytes'],
        '524288 space/bytes',
        [
          { stack: ['(root)'], files: [''], values: [8] },
          { stack: ['inner', 'outer'], files: ['node:fs', 'node:fs'], values: [600_000] },
        ],
      ],
    );
  });

  it('writes delays by their size', () => {
    const buckets = [
      { upToMs: 2, count: 3, totalMs: 4.5 },
      { upToMs: Infinity, count: 1, totalMs: 3_600_000 },
    ];
    const read = readProfile(encodeProfile({ kind: 'delays', takenMs, buckets }));
    assert.deepEqual(
      [read.values, read.samples.map(({ stack, values }) => [...stack, ...values])],
      [
        ['contentions/count', 'delay/nanoseconds'],
        [
          ['event loop late by up to 2 ms', 3, 4_500_000],
          ['event loop late by more than a second', 1, 3_600_000_000_000],
        ],
      ],
    );
  });
});

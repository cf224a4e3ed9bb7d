import assert from 'node:assert/strict';
import { StoreUnavailableError } from '../store-errors.ts';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import { settleSwap } from './settle-swap.ts';
import type { EtcdKeyValue, RangeAnswer, RangeCall } from './transport.ts';

/** [revision, value], oldest first; undefined: deleted at that revision. */
type History = readonly (readonly [number, string | undefined])[];

const key = Buffer.from('k');
const cause = new EtcdCallError(grpcStatus.deadlineExceeded, 'no answer', { sent: true });
const swap = (expected: number, value?: string, sentAfter = 12) => ({
  call: {
    key,
    compare: { target: 'modRevision', value: expected } as const,
    ...(value !== undefined && { value: Buffer.from(value) }),
  },
  sentAfter,
  cause,
});

function store(history: History, revision = 1000) {
  return async (call: RangeCall): Promise<RangeAnswer> => {
    assert.ok((call.revision ?? 0) <= revision, 'the store refuses future revisions');
    const seen = history.filter(([at]) => at <= (call.revision ?? revision));
    const last = seen.at(-1);
    const created = seen[seen.findLastIndex(([, value]) => value === undefined) + 1];
    const items: EtcdKeyValue[] = [];
    if (last?.[1] !== undefined && created !== undefined) {
      items.push({ key, value: Buffer.from(last[1]), modRevision: last[0], createRevision: created[0], version: 1 });
    }
    return { revision, clusterId: 1, items, more: false, count: items.length };
  };
}

describe('settling a swap without an answer', () => {
  for (const [name, lost, history, revision] of [
    [
      'an update that is there',
      swap(10, 'ours'),
      [
        [10, 'old'],
        [20, 'ours'],
      ],
      20,
    ],
    [
      'an update right after it was sent',
      swap(10, 'ours'),
      [
        [10, 'old'],
        [13, 'ours'],
      ],
      13,
    ],
    [
      'an update that others built on',
      swap(10, 'ours'),
      [
        [10, 'old'],
        [20, 'ours'],
        [30, 'x'],
        [40, 'y'],
      ],
      20,
    ],
    [
      'an update of what was deleted later',
      swap(10, 'ours'),
      [
        [10, 'old'],
        [20, 'ours'],
        [30, undefined],
      ],
      20,
    ],
    [
      'an update of what was created again later',
      swap(10, 'ours'),
      [
        [10, 'old'],
        [20, 'ours'],
        [30, undefined],
        [40, 'x'],
      ],
      20,
    ],
    [
      'an update by a client that knew no revision yet',
      swap(10, 'ours', 0),
      [
        [10, 'old'],
        [20, 'ours'],
      ],
      20,
    ],
    ['a creation that is there', swap(0, 'ours'), [[20, 'ours']], 20],
    [
      'a creation after a deletion',
      swap(0, 'ours'),
      [
        [10, 'old'],
        [15, undefined],
        [20, 'ours'],
        [30, 'x'],
      ],
      20,
    ],
    [
      'a deletion',
      swap(10),
      [
        [10, 'old'],
        [20, undefined],
      ],
      20,
    ],
    [
      'a deletion after which another created the key',
      swap(10),
      [
        [10, 'old'],
        [20, undefined],
        [30, 'x'],
      ],
      20,
    ],
  ] as const) {
    it(`finds ${name}`, async () => {
      const answer = await settleSwap(lost, store(history));
      assert.deepEqual([answer?.succeeded, answer?.revision], [true, revision]);
    });
  }

  for (const [name, lost, history] of [
    [
      'an update that lost',
      swap(10, 'ours'),
      [
        [10, 'old'],
        [20, 'theirs'],
        [30, 'ours'],
      ],
    ],
    [
      'an update that lost to a deletion',
      swap(10, 'ours'),
      [
        [10, 'old'],
        [20, undefined],
      ],
    ],
    [
      'an update of what was replaced before',
      swap(5, 'ours'),
      [
        [5, 'older'],
        [10, 'ours'],
        [30, 'x'],
      ],
    ],
    ['an update of a version that never was', swap(11, 'ours'), [[10, 'old']]],
    ['an update of a version that is still to come', swap(5000, 'ours'), [[10, 'old']]],
    ['a creation that lost', swap(0, 'ours'), [[20, 'theirs']]],
    [
      'a deletion that lost',
      swap(10),
      [
        [10, 'old'],
        [20, 'theirs'],
        [30, undefined],
      ],
    ],
  ] as const) {
    it(`finds the conflict of ${name}`, async () => {
      const answer = await settleSwap(lost, store(history));
      assert.equal(answer?.succeeded, false);
      const [revision, value] = history.at(-1)!;
      assert.equal(answer?.current?.modRevision, value === undefined ? undefined : revision);
    });
  }

  for (const [name, lost, history] of [
    ['the key is as it was', swap(10, 'ours'), [[10, 'old']]],
    ['the key is still absent', swap(0, 'ours'), []],
    ['the key is not deleted yet', swap(10), [[10, 'old']]],
  ] as const) {
    it(`leaves it open when ${name}`, async () => {
      assert.equal(await settleSwap(lost, store(history)), undefined);
    });
  }

  it('reports an unknown result when the store cannot be read', async () => {
    const read = async () => Promise.reject(new Error('down'));
    await assert.rejects(
      settleSwap(swap(1, 'x'), read),
      (error) => error instanceof StoreUnavailableError && error.ambiguous,
    );
  });
});

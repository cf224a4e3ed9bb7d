import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { decodeDatabaseBytes, decodeRangeAnswer, decodeSwapAnswer, encodeRange, encodeSwap } from './messages.ts';

/** etcd's own definitions, as etcd3 ships them. */
const proto = join(createRequire(import.meta.url).resolve('etcd3'), '../../proto/rpc.proto');
const types = new protobuf.Root().loadSync(proto, { keepCase: true });
const lookup = (name: string) => types.lookupType(`etcdserverpb.${name}`);
const decoded = (name: string, bytes: Uint8Array) =>
  lookup(name).toObject(lookup(name).decode(bytes), { longs: String, enums: String, bytes: String });
const encoded = (name: string, message: object) =>
  Buffer.from(lookup(name).encode(lookup(name).fromObject(message)).finish());
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('etcd messages', () => {
  it('reads the size of a database', () => {
    assert.equal(
      decodeDatabaseBytes(
        encoded('StatusResponse', {
          header: { revision: 7 },
          version: '3.5.0',
          dbSize: 2 ** 33,
          leader: 5,
          raftIndex: 6,
        }),
      ),
      2 ** 33,
    );
    assert.equal(decodeDatabaseBytes(Buffer.alloc(0)), 0);
  });

  it('writes requests for ranges', () => {
    assert.deepEqual(decoded('RangeRequest', encodeRange({ key: Buffer.from('a') })), { key: base64('a') });
    assert.deepEqual(
      decoded(
        'RangeRequest',
        encodeRange({ key: Buffer.from('a'), end: Buffer.from('b'), limit: 500, revision: 2 ** 40, countOnly: true }),
      ),
      { key: base64('a'), range_end: base64('b'), limit: '500', revision: `${2 ** 40}`, count_only: true },
    );
  });

  it('writes swaps that put, with leases of all 64 bits', () => {
    const key = Buffer.from('k');
    const call = {
      key,
      compare: { target: 'modRevision', value: 0 },
      value: Buffer.from('v'),
      lease: '7587873838383838383',
    } as const;
    assert.deepEqual(decoded('TxnRequest', encodeSwap(call)), {
      compare: [{ target: 'Mod', key: base64('k'), mod_revision: '0' }],
      success: [{ request_put: { key: base64('k'), value: base64('v'), lease: '7587873838383838383' } }],
      failure: [{ request_range: { key: base64('k') } }],
    });
  });

  it('writes swaps that delete, and that compare versions', () => {
    const call = { key: Buffer.from('k'), compare: { target: 'version', value: 7 } } as const;
    assert.deepEqual(decoded('TxnRequest', encodeSwap(call)), {
      // The target is VERSION, the zero value, which the reading side leaves out.
      compare: [{ key: base64('k'), version: '7' }],
      success: [{ request_delete_range: { key: base64('k') } }],
      failure: [{ request_range: { key: base64('k') } }],
    });
  });

  const kv = (key: string, value: string) => ({
    key: base64(key),
    value: base64(value),
    create_revision: '4294967297',
    mod_revision: `${2 ** 52}`,
    version: 3,
    lease: '-1',
  });
  const header = {
    cluster_id: '14841639068965178418',
    member_id: '18446744073709551615',
    revision: `${2 ** 41}`,
    raft_term: 9,
  };

  it('reads ranges, each value in separate memory', () => {
    const answer = decodeRangeAnswer(
      encoded('RangeResponse', { header, kvs: [kv('a', 'one'), kv('b', '')], more: true, count: 70_000 }),
    );
    assert.deepEqual([answer.revision, answer.more, answer.count], [2 ** 41, true, 70_000]);
    assert.deepEqual(
      answer.items.map((item) => [
        item.key.toString(),
        item.value.toString(),
        item.createRevision,
        item.modRevision,
        item.version,
      ]),
      [
        ['a', 'one', 4294967297, 2 ** 52, 3],
        ['b', '', 4294967297, 2 ** 52, 3],
      ],
    );
    for (const item of answer.items) assert.equal(item.value.buffer.byteLength, item.value.length);
    const other = decodeRangeAnswer(
      encoded('RangeResponse', { header: { ...header, cluster_id: '14841639068965000000' } }),
    );
    assert.notEqual(answer.clusterId, other.clusterId);
  });

  it('reads swaps', () => {
    const lost = { header, responses: [{ response_range: { kvs: [kv('a', 'theirs')] } }] };
    assert.equal(decodeSwapAnswer(encoded('TxnResponse', lost)).current?.value.toString(), 'theirs');
    const absent = decodeSwapAnswer(encoded('TxnResponse', { header, responses: [{ response_range: {} }] }));
    assert.deepEqual([absent.succeeded, absent.current], [false, undefined]);
    const won = decodeSwapAnswer(
      encoded('TxnResponse', { header, succeeded: true, responses: [{ response_put: { header } }] }),
    );
    assert.deepEqual([won.succeeded, won.revision, won.current], [true, 2 ** 41, undefined]);
  });

  it('refuses answers of which a part is missing, or without a revision', () => {
    const responses = [{ response_range: {} }];
    for (const bytes of [Buffer.alloc(0), encoded('RangeResponse', { kvs: [kv('a', 'one')] })])
      assert.throws(() => decodeRangeAnswer(bytes), /without a revision/);
    assert.throws(() => decodeSwapAnswer(encoded('TxnResponse', { responses })), /without a revision/);
    assert.throws(() => decodeSwapAnswer(encoded('TxnResponse', { header })), /of one operation with 0/);
    assert.throws(
      () => decodeSwapAnswer(encoded('TxnResponse', { header, responses: [...responses, ...responses] })),
      /of one operation with 2/,
    );
    // A header that is shorter than its length says includes what follows.
    assert.throws(() => decodeRangeAnswer(Buffer.from('0a0310f801' + '1807', 'hex')), RangeError);
  });

  it('refuses truncated messages', () => {
    const whole = encoded('RangeResponse', { header, kvs: [kv('a', 'one')], count: 1 });
    for (let bytes = 1; bytes < whole.length; bytes++) {
      const cut = whole.subarray(0, bytes);
      try {
        assert.ok(decodeRangeAnswer(cut).items.length <= 1);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }
  });
});

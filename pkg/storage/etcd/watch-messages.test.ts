import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { decodeWatchAnswer, encodeWatch } from './watch-messages.ts';

/** etcd's own definitions, as etcd3 ships them. */
const proto = join(createRequire(import.meta.url).resolve('etcd3'), '../../proto/rpc.proto');
const types = new protobuf.Root().loadSync(proto, { keepCase: true });
const lookup = (name: string) => types.lookupType(`etcdserverpb.${name}`);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const decode = (message: object) =>
  decodeWatchAnswer(
    Buffer.from(lookup('WatchResponse').encode(lookup('WatchResponse').fromObject(message)).finish()),
    '/registry/'.length,
  );

describe('watch messages', () => {
  it('requests a watch with previous values, progress and fragments', () => {
    const bytes = encodeWatch({ key: Buffer.from('a'), end: Buffer.from('b'), startRevision: 2 ** 40, prefixBytes: 0 });
    const request = lookup('WatchRequest').toObject(lookup('WatchRequest').decode(bytes), {
      longs: String,
      bytes: String,
    });
    assert.deepEqual(request, {
      create_request: {
        key: base64('a'),
        range_end: base64('b'),
        start_revision: `${2 ** 40}`,
        progress_notify: true,
        prev_kv: true,
        fragment: true,
      },
    });
  });

  it('reads changes, each value in separate memory, keys without the prefix', () => {
    const before = {
      key: base64('/registry/ä/x'),
      value: base64('old'),
      create_revision: '3',
      mod_revision: '4',
      version: 2,
    };
    const { events, revision } = decode({
      header: { cluster_id: '14841639068965178418', revision: '9' },
      events: [
        {
          type: 'Put',
          kv: {
            key: base64('/registry/ä/x'),
            value: base64('new'),
            create_revision: '3',
            mod_revision: '8',
            version: 3,
          },
          prev_kv: before,
        },
        { type: 'Put', kv: { key: base64('/registry/y'), create_revision: '8', mod_revision: '8', version: 1 } },
        { type: 'Delete', kv: { key: base64('/registry/ä/x'), mod_revision: '9' }, prev_kv: before },
        { type: 'Delete', kv: { key: base64('/registry/y'), mod_revision: '9' } },
      ],
    });
    assert.equal(revision, 9);
    const old = { value: Buffer.from('old'), modRevision: 4 };
    assert.deepEqual(events, [
      { type: 'put', key: 'ä/x', revision: 8, value: Buffer.from('new'), createRevision: 3, previous: old },
      { type: 'put', key: 'y', revision: 8, value: Buffer.alloc(0), createRevision: 8 },
      { type: 'delete', key: 'ä/x', revision: 9, previous: old },
      { type: 'delete', key: 'y', revision: 9 },
    ]);
    for (const bytes of [events[0]!.value!, events[0]!.previous!.value]) assert.equal(bytes.buffer.byteLength, 3);
  });

  it('reads the state of the watch itself', () => {
    const header = { cluster_id: '1', revision: '7' };
    const nothing = {
      revision: 7,
      clusterId: 1,
      isCreated: false,
      isCanceled: false,
      compactRevision: 0,
      cancelReason: '',
      isFragment: false,
      events: [],
    };
    assert.deepEqual(decode({ header, watch_id: 5 }), nothing);
    assert.deepEqual(decode({ header, created: true }), { ...nothing, isCreated: true });
    assert.deepEqual(decode({ header, canceled: true, compact_revision: '6', cancel_reason: 'gone' }), {
      ...nothing,
      isCanceled: true,
      compactRevision: 6,
      cancelReason: 'gone',
    });
    assert.deepEqual(decode({ header, fragment: true }), { ...nothing, isFragment: true });
  });
});

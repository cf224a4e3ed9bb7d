/**
 * What an item of a list costs that is made from stored bytes, against decoding and encoding: microseconds of CPU for a
 * pod of 4.9 KB, the best of many rounds. `node --import tsx test/bench/stored-items.ts [rounds]`
 */
import { allResources } from '../../pkg/api/all-resources.ts';
import { fromHub, Scheme } from '../../pkg/api/scheme.ts';
import type { ApiObject } from '../../pkg/apimachinery/meta/object.ts';
import { stringifyJson } from '../../pkg/apimachinery/json/json.ts';
import { normalize } from '../../pkg/codec/normalize.ts';
import { encodeMessage, encodeProtobuf } from '../../pkg/codec/protobuf/protobuf-codec.ts';
import { StoredItems, type StoredObject } from '../../pkg/codec/stored/stored-item.ts';
import { StorageCodec } from '../../pkg/registry/storage-codec.ts';
import { podJson } from './workload/pod.ts';

const PODS = 200;
const REVISION = 1_234_567;
const rounds = Number(process.argv[2] ?? 150);

const scheme = new Scheme(allResources);
const target = scheme.forKind('v1', 'Pod')!;
const codec = new StorageCodec(scheme, target.definition);
const items = StoredItems.of(target)!;
const pods: StoredObject[] = Array.from({ length: PODS }, (_, i) => {
  const pod = normalize<ApiObject>(JSON.parse(podJson(i, 'bench')), target.schema);
  target.version.setDefaults!(pod);
  Object.assign(pod.metadata, { uid: `${i}`, creationTimestamp: '2026-01-02T03:04:05Z' });
  return { value: encodeProtobuf(target.message, 'v1', 'Pod', pod), revision: REVISION, storedUse: 'unknown' };
});

function decoded({ value, revision }: StoredObject): ApiObject {
  return fromHub(target, codec.decode(value, revision));
}

const work: readonly (readonly [string, (pod: StoredObject) => unknown])[] = [
  ['decode, write JSON', (pod) => Buffer.from(stringifyJson(decoded(pod)))],
  ['decode, write protobuf', (pod) => encodeMessage(target.message, decoded(pod))],
  [
    'check stored bytes',
    (pod) => {
      pod.storedUse = 'unknown';
      return items.serve(pod, 'json');
    },
  ],
  ['stored to JSON', (pod) => items.json(pod)],
  ['stored to protobuf', (pod) => items.protobuf(pod)],
];

for (const [name, make] of work) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    for (const pod of pods) make(pod);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / PODS);
  }
  console.log(`${name.padEnd(24)}${best.toFixed(2).padStart(8)}`);
}

import assert from 'node:assert/strict';
import { messageOf } from '../messages.ts';
import { encodeEnvelope } from './envelope.ts';
import { encodeProtobuf } from './protobuf-codec.ts';
import { scanLabels } from './scan-labels.ts';

const pod = (metadata: object) =>
  encodeProtobuf(messageOf('core/v1.Pod'), 'v1', 'Pod', {
    metadata,
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });

describe('scanLabels', () => {
  const cases: readonly (readonly [what: string, metadata: object, labels: Record<string, string> | undefined])[] = [
    ['none', { name: 'a' }, undefined],
    [
      'some between other fields',
      {
        name: 'a',
        namespace: 'n',
        labels: { b: '2', a: '' },
        annotations: { x: 'y' },
        finalizers: ['f'],
        ownerReferences: [{ uid: 'u' }],
      },
      { a: '', b: '2' },
    ],
    ['texts beyond ASCII', { labels: { ü: '\u{1F600}' } }, { ü: '\u{1F600}' }],
    ['long ones', { labels: { k: 'v'.repeat(20_000) } }, { k: 'v'.repeat(20_000) }],
  ];
  for (const [what, metadata, labels] of cases)
    it(`finds ${what}`, () => assert.deepEqual(scanLabels(pod(metadata)), labels));

  it('keeps hostile keys as data', () => {
    const labels = scanLabels(pod({ labels: JSON.parse('{"__proto__":"x","constructor":"y"}') }))!;
    assert.deepEqual(
      [Object.keys(labels).sort(), Object.getPrototypeOf(labels)],
      [['__proto__', 'constructor'], Object.prototype],
    );
  });

  it('finds none in an empty object', () =>
    assert.equal(scanLabels(encodeEnvelope('v1', 'Pod', () => undefined)), undefined));

  it('throws at broken bytes and does not return half of the labels', () => {
    const whole = pod({ name: 'a', labels: { k: 'v'.repeat(100) } });
    assert.throws(() => scanLabels(whole.subarray(0, 60)));
  });
});

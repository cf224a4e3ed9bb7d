import assert from 'node:assert/strict';
import { field } from '../../apimachinery/errors/field-path.ts';
import { create } from '../kind-testing.ts';
import { pod } from '../core/pod/pod.ts';
import { warnOfIp } from './ip-warnings.ts';

const cases: readonly (readonly [text: string, warning?: string])[] = [
  ['192.0.2.1'],
  ['2001:db8::1'],
  ['no address'],
  [
    '05.06.07.08',
    'non-standard IP address "05.06.07.08" will be considered invalid in a future Kubernetes release: use "5.6.7.8"',
  ],
  [
    '::ffff:1.2.3.4',
    'non-standard IP address "::ffff:1.2.3.4" will be considered invalid in a future Kubernetes release: use "1.2.3.4"',
  ],
  ['2001:DB8::1', 'IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")'],
  ['2001:db8:0:0::1', 'IPv6 address "2001:db8:0:0::1" should be in RFC 5952 canonical format ("2001:db8::1")'],
];

describe('warnings of IP addresses', () => {
  for (const [text, warning] of cases) {
    it(`${text}: ${warning === undefined ? 'none' : 'one'}`, () => {
      const warnings: string[] = [];
      warnOfIp(text, field('spec', 'ip'), (at, words) => warnings.push(`${at.toString()}: ${words}`));
      assert.deepEqual(warnings, warning === undefined ? [] : [`spec.ip: ${warning}`]);
    });
  }

  it('are given for name servers and host aliases of pods', () => {
    const spec = {
      containers: [{ name: 'c', image: 'i' }],
      dnsConfig: { nameservers: ['1.2.3.4', '05.06.07.08'] },
      hostAliases: [{ ip: '::ffff:1.2.3.4', hostnames: ['h'] }],
    };
    const { object, texts } = create(pod, 'v1', { metadata: { name: 'p' }, spec });
    assert.deepEqual(texts, []);
    assert.deepEqual(pod.warnings!(object, undefined), [
      `spec.dnsConfig.nameservers[1]: ${cases[3]![1]!}`,
      `spec.hostAliases[0].ip: ${cases[4]![1]!}`,
    ]);
  });
});

import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { eventLimits } from './configuration.ts';
import { eventRateLimitPlugin } from './plugin.ts';

const configuration = (...limits: object[]): object => ({
  apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
  kind: 'Configuration',
  limits,
});

describe('EventRateLimit', () => {
  let now: number;
  beforeEach(() => (now = 0));
  const plugin = (...limits: object[]) => eventRateLimitPlugin(eventLimits(configuration(...limits)), () => now);
  const event = (namespace: string, name: string, more: object = {}) =>
    requestFor('events', {
      metadata: { namespace, name },
      source: { component: 'c' },
      involvedObject: { kind: 'Pod', namespace, name: 'p' },
      ...more,
    });
  const refused = (key: string): string => `429 Too many requests: limit reached on type ${key}`;

  it('allows a burst, and then as many as come back in time', async () => {
    const limited = plugin({ type: 'Server', qps: 1, burst: 2 });
    const answers = [
      await refusalOf(limited, event('a', '1')),
      await refusalOf(limited, event('b', '2')),
      await refusalOf(limited, event('c', '3')),
    ];
    assert.deepEqual(answers, [undefined, undefined, refused('Server for key ')]);
    now += 1000;
    assert.equal(await refusalOf(limited, event('a', '4')), undefined);
    assert.equal(await refusalOf(limited, event('a', '5')), refused('Server for key '));
  });

  it('separates namespaces, users and objects of events', async () => {
    const byNamespace = plugin({ type: 'Namespace', qps: 1, burst: 1 });
    assert.deepEqual(
      [
        await refusalOf(byNamespace, event('a', '1')),
        await refusalOf(byNamespace, event('b', '1')),
        await refusalOf(byNamespace, event('a', '2')),
      ],
      [undefined, undefined, refused('Namespace for key a')],
    );
    const byUser = plugin({ type: 'User', qps: 1, burst: 1 });
    assert.equal(await refusalOf(byUser, event('a', '1')), undefined);
    assert.equal(await refusalOf(byUser, { ...event('b', '1'), user: { name: 'other', groups: [] } }), undefined);
    assert.equal(await refusalOf(byUser, event('c', '1')), refused('User for key tester'));
    const byObject = plugin({ type: 'SourceAndObject', qps: 1, burst: 1 });
    assert.equal(await refusalOf(byObject, event('a', '1')), undefined);
    assert.equal(
      await refusalOf(byObject, event('a', '2', { involvedObject: { kind: 'Pod', namespace: 'a', name: 'other' } })),
      undefined,
    );
    assert.equal(await refusalOf(byObject, event('a', '3')), refused('SourceAndObject for key cPodap'));
  });

  it('drops the least recently used key', async () => {
    const limited = plugin({ type: 'Namespace', qps: 1, burst: 1, cacheSize: 1 });
    assert.equal(await refusalOf(limited, event('a', '1')), undefined);
    assert.equal(await refusalOf(limited, event('b', '1')), undefined);
    assert.equal(await refusalOf(limited, event('a', '2')), undefined);
  });

  it('names every limit that is reached, and counts by all', async () => {
    const limited = plugin({ type: 'Server', qps: 1, burst: 1 }, { type: 'User', qps: 1, burst: 1 });
    assert.equal(await refusalOf(limited, event('a', '1')), undefined);
    assert.equal(
      await refusalOf(limited, event('a', '2')),
      '429 Too many requests: [limit reached on type Server for key , limit reached on type User for key tester]',
    );
  });

  it('counts updates, and neither dry runs, deletes nor other kinds', async () => {
    const limited = plugin({ type: 'Server', qps: 1, burst: 1 });
    for (const free of [
      { ...event('a', '1'), dryRun: true },
      { ...event('a', '1'), operation: 'DELETE' as const },
      requestFor('pods', { metadata: { name: 'p' } }),
    ]) {
      for (let i = 0; i < 3; i++) assert.equal(await refusalOf(limited, free), undefined);
    }
    assert.equal(await refusalOf(limited, { ...event('a', '1'), operation: 'UPDATE' }), undefined);
    assert.equal(await refusalOf(limited, event('a', '2')), refused('Server for key '));
  });

  const wrong: readonly (readonly [what: string, configuration: unknown, problem: RegExp])[] = [
    ['no limits', configuration(), /limits: Invalid value: .*must not be empty/],
    [
      'an unknown type',
      configuration({ type: 'Cluster', qps: 1, burst: 1 }),
      /limits\[0\]\.type: Unsupported value: "Cluster"/,
    ],
    ['numbers that are none', configuration({ type: 'Server', qps: 'many', burst: 1 }), /qps must be an integer/],
    [
      'nothing per second',
      configuration({ type: 'Server', burst: 1 }),
      /limits\[0\]\.qps: Invalid value: 0: must be positive/,
    ],
    ['another kind', { apiVersion: 'v1', kind: 'Other' }, /./],
  ];
  for (const [what, value, problem] of wrong)
    it(`refuses a configuration with ${what}`, () => assert.throws(() => eventLimits(value), problem));
});

import assert from 'node:assert/strict';
import { deployment } from '../../apps/deployment/deployment.ts';
import { workload } from '../../apps/workload-bodies.ts';
import { create, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { pod } from '../pod/pod.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const labels = { app: 'a', tier: 't' };
const containers = [{ name: 'c', image: 'i' }];
const selector = { matchLabels: { x: 'y' } };

const podWith = (spec: object): object => ({ metadata: { name: 'p', labels }, spec: { containers, ...spec } });
const spread = (constraint: object): object => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', ...constraint }],
});
const near = (term: object): object => ({ affinity: { podAffinity: { [REQUIRED]: [{ topologyKey: 'z', ...term }] } } });
const apart = (term: object): object => ({
  affinity: { podAntiAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'z', ...term } }] } },
});
const termOf = ({ spec: { affinity } }: any): any =>
  affinity.podAffinity?.[REQUIRED][0] ?? affinity.podAntiAffinity[PREFERRED][0].podAffinityTerm;
const constraintOf = ({ spec }: any): any => spec.topologySpreadConstraints[0];
const is = (key: string, operator: string, value: string): object => ({ key, operator, values: [value] });

describe('label keys', () => {
  const merged: readonly (readonly [
    name: string,
    spec: object,
    of: (object: any) => any,
    expressions: readonly object[] | undefined,
  ])[] = [
    [
      'of required affinity',
      near({ labelSelector: selector, matchLabelKeys: ['app'], mismatchLabelKeys: ['tier'] }),
      termOf,
      [is('app', 'In', 'a'), is('tier', 'NotIn', 't')],
    ],
    [
      'of preferred anti-affinity',
      apart({ labelSelector: selector, matchLabelKeys: ['tier', 'app'] }),
      termOf,
      [is('tier', 'In', 't'), is('app', 'In', 'a')],
    ],
    [
      'of a spread constraint',
      spread({ labelSelector: selector, matchLabelKeys: ['app'] }),
      constraintOf,
      [is('app', 'In', 'a')],
    ],
    [
      'that come after what was requested',
      spread({ labelSelector: { matchExpressions: [{ key: 'x', operator: 'Exists' }] }, matchLabelKeys: ['app'] }),
      constraintOf,
      [{ key: 'x', operator: 'Exists' }, is('app', 'In', 'a')],
    ],
    [
      'that the pod does not have: nothing',
      near({ labelSelector: selector, matchLabelKeys: ['absent', 'constructor'], mismatchLabelKeys: ['other'] }),
      termOf,
      undefined,
    ],
  ];
  for (const [name, spec, of, expressions] of merged) {
    it(`become requirements of a new pod's selector: those ${name}`, () => {
      const { object, texts } = create(pod, 'v1', podWith(spec));
      assert.deepEqual(texts, []);
      assert.deepEqual(of(object).labelSelector.matchExpressions, expressions);
    });
  }

  it('stay unchanged in templates, and in pods that are stored without requirements', () => {
    const spec = {
      ...spread({ labelSelector: selector, matchLabelKeys: ['app'] }),
      ...near({ labelSelector: selector, mismatchLabelKeys: ['app'] }),
    };
    const { object, texts } = create(
      deployment,
      'apps/v1',
      workload({ template: { metadata: { labels: { app: 'a' } }, spec: { containers, ...spec } } }),
    );
    assert.deepEqual(texts, []);
    assert.deepEqual(constraintOf(object.spec.template).labelSelector, selector);
    assert.deepEqual(termOf(object.spec.template).labelSelector, selector);

    const changed = update(pod, 'v1', stored(pod, 'v1', podWith(spec)), (p) => {
      p.metadata.labels.more = 'm';
    });
    assert.deepEqual(changed.texts, []);
    const again = update(pod, 'v1', create(pod, 'v1', podWith(spec)).object, (p) => {
      p.metadata.labels.app = 'b';
    });
    assert.deepEqual(again.texts, []);
    assert.deepEqual(constraintOf(again.object).labelSelector.matchExpressions, [is('app', 'In', 'a')]);
  });

  const both = 'exists in both matchLabelKeys and labelSelector';
  const wrong: readonly (readonly [name: string, spec: object, texts: readonly string[]])[] = [
    [
      'without a selector',
      spread({ matchLabelKeys: ['app'] }),
      [
        'spec.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      ],
    ],
    [
      'of affinity without a selector',
      near({ mismatchLabelKeys: ['app'] }),
      [
        `spec.affinity.podAffinity.${REQUIRED}[0].mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
      ],
    ],
    [
      'that the selector names',
      spread({ labelSelector: { matchLabels: { app: 'b' } }, matchLabelKeys: ['tier', 'app'] }),
      [`spec.topologySpreadConstraints[0][1]: Invalid value: "app": ${both}`],
    ],
    [
      'that an expression names',
      apart({ labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, matchLabelKeys: ['app'] }),
      [`spec.affinity.podAntiAffinity.${PREFERRED}[0].podAffinityTerm[0]: Invalid value: "app": ${both}`],
    ],
    [
      'of both sorts',
      near({ labelSelector: selector, matchLabelKeys: ['app'], mismatchLabelKeys: ['app'] }),
      [
        `spec.affinity.podAffinity.${REQUIRED}[0][0]: Invalid value: "app": ${both}`,
        `spec.affinity.podAffinity.${REQUIRED}[0].matchLabelKeys[0]: Invalid value: "app": exists in both matchLabelKeys and mismatchLabelKeys`,
      ],
    ],
  ];
  for (const [name, spec, texts] of wrong)
    it(`are refused ${name}`, () => assert.deepEqual(create(pod, 'v1', podWith(spec)).texts, texts));

  it('are refused where they are no names of labels', () => {
    const { texts } = create(
      pod,
      'v1',
      podWith(near({ labelSelector: selector, matchLabelKeys: ['a b'], mismatchLabelKeys: ['/c'] })),
    );
    assert.match(texts[0]!, /\[0\]\.matchLabelKeys\[0\]: Invalid value: "a b": name part must consist of/);
    assert.match(texts[1]!, /\[0\]\.mismatchLabelKeys\[0\]: Invalid value: "\/c": prefix part must be non-empty/);
  });
});

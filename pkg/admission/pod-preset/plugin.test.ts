import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { podPresetPlugin } from './plugin.ts';

describe('PodPreset', () => {
  const preset = (name: string, spec: object, matchLabels: object = { app: 'web' }) => ({
    metadata: { name, namespace: 'n', resourceVersion: '7' },
    spec: { selector: { matchLabels }, ...spec },
  });
  const pod = (spec: object = {}, annotations?: object) => ({
    metadata: {
      name: 'p',
      namespace: 'n',
      labels: { app: 'web' },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { containers: [{ name: 'c' }, { name: 'd' }], initContainers: [{ name: 'i' }], ...spec },
  });
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
  });
  async function after(presets: object[], object: ReturnType<typeof pod>, overrides = {}) {
    const plugin = podPresetPlugin(lookupOf({ 'podpresets.settings.k8s.io': presets }));
    const notes = { warn: (text: string) => void warnings.push(text), annotate: () => undefined };
    assert.equal(await refusalOf(plugin, requestFor('pods', object, { notes, ...overrides })), undefined);
    return object;
  }
  const env = [{ name: 'A', value: '1' }];
  const full = preset('full', {
    env,
    envFrom: [{ configMapRef: { name: 'm' } }],
    volumes: [{ name: 'v', emptyDir: {} }],
    volumeMounts: [{ name: 'v', mountPath: '/v' }],
  });

  it('adds everything to every container, and records it', async () => {
    const { spec, metadata } = (await after([full], pod())) as { spec: object; metadata: { annotations?: object } };
    const container = {
      env,
      envFrom: [{ configMapRef: { name: 'm' } }],
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    };
    assert.deepEqual(spec, {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        { name: 'c', ...container },
        { name: 'd', ...container },
      ],
      initContainers: [{ name: 'i' }],
    });
    assert.deepEqual(metadata.annotations, { 'podpreset.admission.kubernetes.io/podpreset-full': '7' });
  });

  it('adds to what the pod has, and takes equal things as one', async () => {
    const object = (await after(
      [
        full,
        preset('more', {
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        }),
      ],
      pod({ containers: [{ name: 'c', env: [{ name: 'Z', value: '0' }] }] }),
    )) as { spec: { containers: object[] } };
    assert.deepEqual((object.spec.containers[0] as { env: object[] }).env, [
      { name: 'Z', value: '0' },
      ...env,
      { name: 'B', value: '2' },
    ]);
  });

  it('leaves pods unchanged where presets contradict them or each other', async () => {
    const before = (spec: object = {}) => pod(spec);
    const contradictions: [object[], object, string][] = [
      [
        [full],
        { containers: [{ name: 'c', env: [{ name: 'A', value: '2' }] }] },
        'merging env for full has a conflict on A',
      ],
      [[full, preset('other', { env: [{ name: 'A', value: '2' }] })], {}, 'merging env for other has a conflict on A'],
      [[full], { volumes: [{ name: 'v', hostPath: {} }] }, 'merging volumes for full has a conflict on v'],
      [
        [full],
        { containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/w' }] }] },
        'merging volume mounts for full has a conflict on v',
      ],
      [
        [full],
        { containers: [{ name: 'c', volumeMounts: [{ name: 'w', mountPath: '/v' }] }] },
        'merging volume mounts has a conflict on mount path /v',
      ],
    ];
    for (const [presets, spec, words] of contradictions) {
      warnings = [];
      assert.deepEqual(await after(presets, before(spec)), before(spec));
      assert.deepEqual(warnings, [`pod presets are not applied: ${words}`]);
    }
  });

  it('applies to new pods that it selects and that do not opt out', async () => {
    assert.deepEqual(await after([preset('x', { env }, { app: 'db' })], pod()), pod());
    assert.deepEqual(await after([{ ...full, metadata: { ...full.metadata, namespace: 'other' } }], pod()), pod());
    const declining = { 'podpreset.admission.kubernetes.io/exclude': 'true' };
    assert.deepEqual(await after([full], pod({}, declining)), pod({}, declining));
    const mirror = { 'kubernetes.io/config.mirror': 'x' };
    assert.deepEqual(await after([full], pod({}, mirror)), pod({}, mirror));
    assert.deepEqual(await after([full], pod(), { operation: 'UPDATE' }), pod());
  });
});

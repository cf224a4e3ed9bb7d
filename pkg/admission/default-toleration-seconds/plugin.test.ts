import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { defaultTolerationSecondsPlugin } from './plugin.ts';

describe('DefaultTolerationSeconds', () => {
  const after = async (tolerations: object[] | undefined, subresource = '') => {
    const pod = { metadata: { name: 'p' }, spec: tolerations === undefined ? {} : { tolerations } } as {
      metadata: object;
      spec: { tolerations?: object[] };
    };
    assert.equal(
      await refusalOf(
        defaultTolerationSecondsPlugin({ notReady: 300, unreachable: 200 }),
        requestFor('pods', pod, { subresource }),
      ),
      undefined,
    );
    return pod.spec.tolerations;
  };
  const notReady = {
    key: 'node.kubernetes.io/not-ready',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  };
  const unreachable = { ...notReady, key: 'node.kubernetes.io/unreachable', tolerationSeconds: 200 };

  it('adds both tolerations', async () => {
    assert.deepEqual(await after(undefined), [notReady, unreachable]);
  });

  it('keeps the tolerations of the pod', async () => {
    const own = { ...notReady, tolerationSeconds: 5 };
    assert.deepEqual(await after([own]), [own, unreachable]);
    assert.deepEqual(await after([{ operator: 'Exists' }]), [{ operator: 'Exists' }]);
    const other = { ...notReady, effect: 'NoSchedule' };
    assert.deepEqual(await after([other]), [other, notReady, unreachable]);
  });

  it('leaves paths below pods alone', async () => {
    assert.equal(await after(undefined, 'status'), undefined);
  });
});

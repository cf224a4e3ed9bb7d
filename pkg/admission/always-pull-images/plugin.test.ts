import assert from 'node:assert/strict';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { alwaysPullImagesPlugin } from './plugin.ts';

describe('AlwaysPullImages', () => {
  const pod = (image: string, imagePullPolicy = 'IfNotPresent') => ({
    metadata: { name: 'p', namespace: 'n' },
    spec: {
      initContainers: [{ name: 'i', image, imagePullPolicy }],
      containers: [{ name: 'c', image, imagePullPolicy }],
      ephemeralContainers: [{ name: 'e', image, imagePullPolicy }],
    },
  });
  const policies = ({ spec }: ReturnType<typeof pod>) =>
    [spec.initContainers, spec.containers, spec.ephemeralContainers].map(([c]) => c!.imagePullPolicy);

  it('sets the policy of every container', async () => {
    const created = pod('a');
    assert.equal(await refusalOf(alwaysPullImagesPlugin(), requestFor('pods', created)), undefined);
    assert.deepEqual(policies(created), ['Always', 'Always', 'Always']);
  });

  it('sets it for added debug containers', async () => {
    const changed = pod('b');
    const request = requestFor('pods', changed, {
      operation: 'UPDATE',
      subresource: 'ephemeralcontainers',
      oldObject: pod('a'),
    });
    assert.equal(await refusalOf(alwaysPullImagesPlugin(), request), undefined);
    assert.deepEqual(policies(changed), ['Always', 'Always', 'Always']);
  });

  it('refuses what a later plugin set back', () => {
    const plugin = alwaysPullImagesPlugin();
    assert.throws(
      () =>
        plugin.validate!(
          requestFor('pods', {
            ...pod('a', 'Always'),
            spec: { containers: [{ name: 'c', image: 'a', imagePullPolicy: 'Never' }] },
          }),
        ),
      {
        message:
          'pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
      },
    );
  });

  it('leaves updates without a new image, and other paths, unchanged', async () => {
    const changed = pod('a');
    assert.equal(
      await refusalOf(
        alwaysPullImagesPlugin(),
        requestFor('pods', changed, { operation: 'UPDATE', oldObject: pod('a') }),
      ),
      undefined,
    );
    assert.equal(
      await refusalOf(
        alwaysPullImagesPlugin(),
        requestFor('pods', changed, { operation: 'UPDATE', subresource: 'status', oldObject: pod('b') }),
      ),
      undefined,
    );
    assert.deepEqual(policies(changed), ['IfNotPresent', 'IfNotPresent', 'IfNotPresent']);
  });
});

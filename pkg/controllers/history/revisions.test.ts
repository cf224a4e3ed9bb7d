import assert from 'node:assert/strict';
import type { ControllerRevision } from '../../generated/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';
import { isSameData, revisionData, templateOf } from './revision-data.ts';
import { revisionHash } from './revision-hash.ts';
import { beyondLimit, newRevision, sortRevisions } from './revisions.ts';

const template: PodTemplateSpec = {
  metadata: { labels: { app: 'db' } },
  spec: { containers: [{ name: 'main', image: 'app:1', resources: {} }] },
};

describe('revisions', () => {
  it('keep a template as a patch with its keys in order', () => {
    const data = revisionData(template);
    assert.equal(
      JSON.stringify(data),
      '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"db"}},' +
        '"spec":{"containers":[{"image":"app:1","name":"main","resources":{}}]}}}}',
    );
    assert.deepEqual(templateOf(data), template);
  });

  it('are equal with and without empty fields', () => {
    const data = revisionData(template);
    const older = {
      spec: { template: { ...data.spec.template, metadata: { creationTimestamp: null, labels: { app: 'db' } } } },
    };
    assert.equal(isSameData(data, older), true);
    const spec = { ...template.spec!, affinity: {} };
    assert.equal(isSameData(data, revisionData({ ...template, spec })), false);
    assert.equal(isSameData(data, revisionData({ ...template, spec: { containers: [] } })), false);
  });

  it('are named by FNV-1 of their data and the collisions', () => {
    // Of the byte of `1`: 84696366.
    assert.equal(revisionHash(1, undefined), 'd8bfb7bb');
    const plain = revisionHash('', undefined);
    assert.match(plain, /^[bcdf4-9]+$/);
    assert.notEqual(revisionHash('', 0), plain);
    assert.notEqual(revisionHash('', 0), revisionHash('', 1));
    const owner = { metadata: { namespace: 'ns', name: 'x'.repeat(250), annotations: { a: 'b' } } };
    const reference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'x', uid: 'u' };
    const { metadata } = newRevision({ owner, reference, template, revision: 1, hashLabel: 'h', collisionCount: 0 });
    assert.equal(metadata.name, `${'x'.repeat(223)}-${metadata.labels?.['h']}`);
    assert.deepEqual(metadata.annotations, { a: 'b' });
  });

  it('are sorted by number, and the oldest go first', () => {
    const revision = (name: string, number: number): ControllerRevision => ({
      metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
      data: {},
      revision: number,
    });
    const [a, b, c] = [revision('a', 10), revision('b', 9), revision('c', 9)];
    assert.deepEqual(sortRevisions([a, c, b]), [b, c, a]);
    assert.deepEqual(beyondLimit([a, c, b], 1), [b, c]);
    assert.deepEqual(beyondLimit([a], 5), []);
  });
});

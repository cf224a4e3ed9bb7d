import assert from 'node:assert/strict';
import type { ApiObject } from '../../../pkg/apimachinery/meta/object.ts';
import { INDEX_ANNOTATION, SetBounds } from './set-bounds.ts';

const LAG_MS = 1000;

describe('SetBounds', () => {
  let bounds: SetBounds;
  beforeEach(() => (bounds = new SetBounds(LAG_MS)));

  const put = (kind: string, name: string, owner: string, rest: object, atMs = 0): void => {
    const [ownerKind, ownerName] = owner.split('/');
    const ownerReferences =
      owner === '' ? [] : [{ apiVersion: 'v1', kind: ownerKind, name: ownerName, uid: owner, controller: true }];
    const { annotations, ...fields } = rest as { annotations?: object };
    const metadata = { name, uid: `${kind}/${name}`, ownerReferences, annotations };
    bounds.apply({ key: `${kind}/${name}`, object: { kind, metadata, ...fields } as ApiObject, atMs });
  };
  const pod = (name: string, owner: string, atMs = 0, annotations = {}): void =>
    put('Pod', name, owner, { status: { phase: 'Running' }, annotations }, atMs);

  it('sees a pod beyond what its replica set wants, and has wanted lately', () => {
    put('ReplicaSet', 'web', '', { spec: { replicas: 2 } });
    pod('a', 'ReplicaSet/web');
    pod('b', 'ReplicaSet/web');
    put('ReplicaSet', 'web', '', { spec: { replicas: 1 } }, 100);
    bounds.apply({ key: 'Pod/a', atMs: 200 });
    pod('c', 'ReplicaSet/web', 300);
    assert.deepEqual(bounds.problems, []);
    bounds.apply({ key: 'Pod/b', atMs: 400 });
    pod('d', 'ReplicaSet/web', 2000);
    assert.deepEqual(bounds.problems, ['2 active pods of ReplicaSet web, at most 1 are allowed']);
  });

  it('sees replica sets beyond the surge of their deployment', () => {
    const rollingUpdate = { maxSurge: '50%' };
    put('Deployment', 'web', '', { spec: { replicas: 2, strategy: { type: 'RollingUpdate', rollingUpdate } } });
    put('ReplicaSet', 'old', 'Deployment/web', { spec: { replicas: 2 } });
    put('ReplicaSet', 'new', 'Deployment/web', { spec: { replicas: 1 } });
    assert.deepEqual(bounds.problems, []);
    put('ReplicaSet', 'new', 'Deployment/web', { spec: { replicas: 2 } });
    assert.deepEqual(bounds.problems, ['4 replicas in the sets of deployment web, which may have 3 for 0 ms']);
  });

  it('sees an ordinal that comes too early, and one beyond the last', () => {
    put('StatefulSet', 'db', '', { spec: { replicas: 2 } });
    pod('db-1', 'StatefulSet/db');
    pod('db-0', 'StatefulSet/db');
    pod('db-2', 'StatefulSet/db');
    assert.deepEqual(bounds.problems, [
      'db-1 was created with 0 pods below it',
      '3 ordinal of db-2, at most 2 are allowed',
    ]);
  });

  it('sees pods beyond the completions of a job, and an index twice', () => {
    put('Job', 'sum', '', { spec: { parallelism: 3, completions: 2, completionMode: 'Indexed' } });
    const index = { [INDEX_ANNOTATION]: '0' };
    pod('a', 'Job/sum', 0, index);
    pod('b', 'Job/sum', 0, index);
    pod('c', 'Job/sum', 0, { [INDEX_ANNOTATION]: '1' });
    assert.deepEqual(bounds.problems, [
      'Job sum has an index twice: 0,0',
      '3 active and succeeded pods of Job sum, at most 2 are allowed',
      'Job sum has an index twice: 0,0,1',
    ]);
  });
});

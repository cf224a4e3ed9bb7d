import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { controllerRevision } from './controller-revision.ts';

const V1 = 'apps/v1';
const OWNER = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true };
const BODY = { metadata: { name: 'x' }, data: { spec: { x: 1, __proto__: 2 } }, revision: 3 };

describe('controller revision', () => {
  it('needs data and a number that is not negative', () => {
    assert.deepEqual(create(controllerRevision, V1, BODY).texts, []);
    assert.deepEqual(create(controllerRevision, V1, { metadata: { name: 'x' }, revision: -1 }).texts, [
      'data: Required value: data is mandatory',
      'revision: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('keeps its data in updates', () => {
    const old = () => stored(controllerRevision, V1, BODY);
    assert.deepEqual(
      update(controllerRevision, V1, old(), (r) => {
        r.revision = 4;
      }).texts,
      [],
    );
    assert.match(
      update(controllerRevision, V1, old(), (r) => {
        r.data = { spec: { x: 2 } };
      }).texts.join(),
      /^data: Invalid value: .*: field is immutable$/,
    );
    assert.equal(
      update(controllerRevision, V1, old(), (r) => {
        r.metadata.labels = { 'bad key!': 'x' };
      }).texts.length,
      4,
    );
  });

  it('is the same in every version', () => {
    const { object } = create(controllerRevision, V1, BODY);
    for (const version of ['apps/v1beta2', 'apps/v1beta1']) {
      const again = decode(controllerRevision, version, serve(controllerRevision, version, object));
      assert.deepEqual(serve(controllerRevision, V1, again), serve(controllerRevision, V1, object));
    }
  });

  it('prints its controller', () => {
    assert.deepEqual(cells(controllerRevision, create(controllerRevision, V1, BODY).object), ['x', '<none>', 3, '0s']);
    const owned = create(controllerRevision, V1, { ...BODY, metadata: { name: 'x', ownerReferences: [OWNER] } }).object;
    assert.deepEqual(cells(controllerRevision, owned), ['x', 'statefulset.apps/web', 3, '0s']);
  });
});

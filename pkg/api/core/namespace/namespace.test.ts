import assert from 'node:assert/strict';
import { cells, create, serve, update } from '../../kind-testing.ts';
import { namespace } from './namespace.ts';

function made(metadata: object = { name: 'n' }, rest: object = {}): any {
  const created = create(namespace, 'v1', { metadata, ...rest });
  assert.deepEqual(created.texts, []);
  created.object.metadata.resourceVersion = '1';
  return created.object;
}

describe('namespaces', () => {
  it('starts active, held by the finalizer, labelled with its name', () => {
    const object = made(
      { name: 'n', labels: { a: 'b', 'kubernetes.io/metadata.name': 'other' } },
      { status: { phase: 'Terminating' } },
    );
    const { metadata, spec, status } = serve(namespace, 'v1', object);
    assert.deepEqual(metadata.labels, { a: 'b', 'kubernetes.io/metadata.name': 'n' });
    assert.deepEqual({ spec, status }, { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    assert.deepEqual(cells(namespace, object), ['n', 'Active', '0s']);
    assert.equal(namespace.fieldLabels!['status.phase']!(object), 'Active');
  });

  it('labels generated names too, and keeps finalizers of the client', () => {
    const object = made({ generateName: 'n-' }, { spec: { finalizers: ['example.com/f'] } });
    assert.equal(object.metadata.labels['kubernetes.io/metadata.name'], object.metadata.name);
    assert.deepEqual(object.spec.finalizers, ['example.com/f', 'kubernetes']);
  });

  it('refuses names that are no label and finalizers without a domain', () => {
    const { texts } = create(namespace, 'v1', { metadata: { name: 'a.b' }, spec: { finalizers: ['own'] } });
    assert.match(texts[0]!, /^metadata\.name: Invalid value: "a\.b": a lowercase RFC 1123 label must consist/);
    assert.deepEqual(texts.slice(1), [
      'spec.finalizers: Invalid value: "own": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it('changes finalizers through finalize only', () => {
    const old = made();
    const empty = (o: any): void => {
      o.spec.finalizers = [];
      o.status.phase = 'Terminating';
    };
    const plain = update(namespace, 'v1', old, empty);
    assert.deepEqual([plain.object.spec.finalizers, plain.object.status.phase], [['kubernetes'], 'Active']);
    const finalized = update(namespace, 'v1', old, empty, { subresource: 'finalize' });
    assert.deepEqual(finalized.texts, []);
    assert.deepEqual([finalized.as('v1').spec, finalized.object.status.phase], [{}, 'Active']);
    const bad = update(namespace, 'v1', old, (o) => void (o.spec.finalizers = ['own']), { subresource: 'finalize' });
    assert.deepEqual(bad.texts, [
      'spec.finalizers[0]: Invalid value: "own": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it('lets the phase follow the deletion', () => {
    const old = made();
    const terminate = (o: any): void => void (o.status.phase = 'Terminating');
    assert.deepEqual(update(namespace, 'v1', old, terminate, { subresource: 'status' }).texts, [
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ]);
    old.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    assert.deepEqual(update(namespace, 'v1', old, terminate, { subresource: 'status' }).texts, []);
    assert.deepEqual(update(namespace, 'v1', old, () => {}, { subresource: 'status' }).texts, [
      'status.Phase: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty',
    ]);
  });
});

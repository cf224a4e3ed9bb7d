import assert from 'node:assert/strict';
import { FieldPath, field } from './field-path.ts';

describe('FieldPath', () => {
  it('prints fields, indexes and keys', () => {
    const path = field('spec', 'containers').index(0).child('ports').index(1).child('containerPort');
    assert.equal(path.toString(), 'spec.containers[0].ports[1].containerPort');
    assert.equal(field('metadata').child('annotations').key('a.b/c').toString(), 'metadata.annotations[a.b/c]');
  });

  it('keeps the parent unchanged', () => {
    const spec = field('spec');
    spec.child('a');
    spec.index(3);
    assert.equal(spec.toString(), 'spec');
  });

  it('starts at an unnamed root', () => {
    assert.equal(FieldPath.root().child('spec', 'replicas').toString(), 'spec.replicas');
    assert.equal(FieldPath.root().index(2).child('x').toString(), '[2].x');
    assert.equal(FieldPath.root().toString(), '<nil>');
    assert.equal(FieldPath.root('status').toString(), 'status');
  });
});

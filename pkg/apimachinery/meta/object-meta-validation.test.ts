import assert from 'node:assert/strict';
import { FieldErrors, fieldErrorText } from '../errors/field-errors.ts';
import { field } from '../errors/field-path.ts';
import { nameIsDns1123Subdomain, nameIsPathSegment } from '../names/names.ts';
import type { ObjectMeta } from './object.ts';
import type { ObjectMetaRules } from './object-meta-validation.ts';
import { validateObjectMeta, validateObjectMetaUpdate, validateOwnerReferences } from './object-meta-validation.ts';

const RULES: ObjectMetaRules = { namespaced: true, validateName: nameIsDns1123Subdomain };

function problems(meta: ObjectMeta, rules = RULES): string[] {
  const errors = new FieldErrors();
  validateObjectMeta(meta, rules, field('metadata'), errors);
  return errors.items.map(fieldErrorText);
}

function updateProblems(meta: ObjectMeta, old: ObjectMeta): string[] {
  const errors = new FieldErrors();
  validateObjectMetaUpdate(meta, old, field('metadata'), errors);
  return errors.items.map(fieldErrorText);
}

const GOOD: ObjectMeta = { name: 'a', namespace: 'default' };

describe('validateObjectMeta', () => {
  it('takes a plain object', () => {
    assert.deepEqual(problems(GOOD), []);
    assert.deepEqual(
      problems({
        ...GOOD,
        labels: { 'example.com/a': '' },
        annotations: { 'Example.COM/A': 'any text' },
        generation: 3,
      }),
      [],
    );
  });

  it('requires a name and a namespace', () => {
    assert.deepEqual(problems({}), [
      'metadata.name: Required value: name or generateName is required',
      'metadata.namespace: Required value',
    ]);
    assert.deepEqual(problems({ ...GOOD, name: 'a/b' }, { ...RULES, validateName: nameIsPathSegment }), [
      'metadata.name: Invalid value: "a/b": may not contain \'/\'',
    ]);
  });

  it('refuses a namespace on kinds without one', () => {
    assert.deepEqual(problems(GOOD, { ...RULES, namespaced: false }), [
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });

  it('checks generateName as a prefix', () => {
    assert.deepEqual(problems({ ...GOOD, generateName: 'a-' }), []);
    assert.match(
      problems({ ...GOOD, generateName: 'AB-' })[0] ?? '',
      /^metadata.generateName: Invalid value: "AB-": a lowercase RFC 1123/,
    );
  });

  it('bounds annotations together', () => {
    assert.deepEqual(problems({ ...GOOD, annotations: { a: 'x'.repeat(300_000) } }), [
      'metadata.annotations: Too long: must have at most 262144 bytes',
    ]);
    assert.deepEqual(problems({ ...GOOD, annotations: { a: 'x'.repeat(262_143) } }), []);
  });

  it('names bad label keys and values', () => {
    const found = problems({ ...GOOD, labels: { 'bad key!': 'has space' } });
    assert.match(found[0] ?? '', /^metadata\.labels: Invalid value: "bad key!": name part must consist of/);
    assert.match(found[1] ?? '', /^metadata\.labels: Invalid value: "has space": a valid label must be/);
    assert.equal(found.length, 2);
  });

  it('checks owner references', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    assert.deepEqual(problems({ ...GOOD, ownerReferences: [owner, { ...owner, controller: true }] }), []);
    assert.deepEqual(problems({ ...GOOD, ownerReferences: [{ ...owner, uid: '' }] }), [
      'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
    ]);
    assert.deepEqual(problems({ ...GOOD, ownerReferences: [{ ...owner, apiVersion: 'apps/', kind: '' }] }), [
      'metadata.ownerReferences.apiVersion: Invalid value: "apps/": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": kind must not be empty',
    ]);
    const two = problems({
      ...GOOD,
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: 'q', controller: true },
      ],
    });
    assert.match(
      two[0] ?? '',
      /Only one reference can have Controller set to true\. Found "true" in references for Pod\/p and Pod\/q$/,
    );
    assert.match(
      problems({ ...GOOD, ownerReferences: [{ ...owner, kind: 'Event' }] })[0] ?? '',
      /\/v1, Kind=Event is disallowed from being an owner$/,
    );
  });

  it('quotes a list with many controllers once, however many errors it makes', () => {
    const ownerReferences = Array.from({ length: 100 }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `p${i}`,
      uid: 'u',
      controller: true,
    }));
    const errors = new FieldErrors();
    validateOwnerReferences(ownerReferences, field('metadata', 'ownerReferences'), errors);
    assert.equal(errors.length, 99);
    assert.equal(new Set(errors.items.map(({ badValue }) => badValue)).size, 1);
  });

  it('checks finalizers', () => {
    assert.deepEqual(problems({ ...GOOD, finalizers: ['x.io/a', 'kubernetes', 'orphan'] }), []);
    assert.deepEqual(problems({ ...GOOD, finalizers: ['nodomain'] }), [
      'metadata.finalizers[0]: Invalid value: "nodomain": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    assert.deepEqual(problems({ ...GOOD, finalizers: ['nodomain'] }, { ...RULES, standardFinalizers: false }), []);
    assert.deepEqual(problems({ ...GOOD, finalizers: ['orphan', 'foregroundDeletion'] }), [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });

  it('checks the shape of managed fields', () => {
    const path = 'metadata.managedFields[0]';
    assert.deepEqual(
      problems({ ...GOOD, managedFields: [{ manager: 'kubectl', operation: 'Update', fieldsType: 'FieldsV1' }] }),
      [],
    );
    assert.deepEqual(
      problems({
        ...GOOD,
        managedFields: [{ manager: 'a\nb', operation: 'Merge', fieldsType: 'X', subresource: 's'.repeat(257) }],
      }),
      [
        `${path}.operation: Invalid value: "Merge": must be \`Apply\` or \`Update\``,
        `${path}.fieldsType: Invalid value: "X": must be \`FieldsV1\``,
        `${path}.manager: Invalid value: "a\\nb": should only contain printable characters`,
        `${path}.subresource: Too long: must have at most 256 bytes`,
      ],
    );
  });

  it('refuses a negative generation', () => {
    assert.deepEqual(problems({ ...GOOD, generation: -1 }), [
      'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('validateObjectMetaUpdate', () => {
  const old: ObjectMeta = {
    ...GOOD,
    uid: 'u',
    resourceVersion: '5',
    generation: 2,
    creationTimestamp: '2020-01-01T00:00:00Z',
  };

  it('takes an unchanged object', () => {
    assert.deepEqual(updateProblems(old, old), []);
    assert.deepEqual(updateProblems({ ...old, finalizers: [] }, old), []);
  });

  it('keeps identity, times and generation', () => {
    assert.deepEqual(updateProblems({ ...old, uid: 'x' }, old), [
      'metadata.uid: Invalid value: "x": field is immutable',
    ]);
    assert.deepEqual(updateProblems({ ...old, name: 'b', namespace: 'c', resourceVersion: '', generation: 1 }, old), [
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 1: must not be decremented',
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.namespace: Invalid value: "c": field is immutable',
    ]);
    assert.deepEqual(updateProblems({ ...old, deletionGracePeriodSeconds: 3 }, old), [
      'metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable',
    ]);
  });

  it('adds no finalizers to an object that is being deleted', () => {
    const going = { ...old, deletionTimestamp: '2020-01-01T00:00:00Z', finalizers: ['x.io/b'] };
    assert.deepEqual(updateProblems({ ...going, finalizers: [] }, going), []);
    assert.deepEqual(updateProblems({ ...going, finalizers: ['x.io/b', 'x.io/c'] }, going), [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/c"}',
    ]);
  });
});

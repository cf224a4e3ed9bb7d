import assert from 'node:assert/strict';
import { cells, create, update } from '../kind-testing.ts';
import { stored } from '../stored-for-test.ts';
import { leaseCandidate } from './lease-candidate/lease-candidate.ts';
import { lease } from './lease/lease.ts';

const V1 = 'coordination.k8s.io/v1';
const BETA = 'coordination.k8s.io/v1beta1';
const metadata = { name: 'l' };

describe('lease', () => {
  it('may be empty, and keeps microseconds', () => {
    assert.deepEqual(create(lease, V1, { metadata }).as(V1).spec, {});
    const object = stored(lease, BETA, {
      metadata,
      spec: { holderIdentity: 'h', renewTime: '2026-01-02T03:04:05.000006Z' },
    });
    assert.equal(object.spec.renewTime, '2026-01-02T03:04:05.000006Z');
    assert.deepEqual(cells(lease, object), ['l', 'h', '0s']);
  });

  it('refuses odd numbers and strategies, on updates too', () => {
    const spec = { leaseDurationSeconds: 0, leaseTransitions: -1, preferredHolder: 'x' };
    const expected = [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      'spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined',
    ];
    assert.deepEqual(create(lease, V1, { metadata, spec }).texts, expected);
    assert.deepEqual(update(lease, V1, stored(lease, V1, { metadata }), (l) => (l.spec = spec)).texts, expected);
    assert.deepEqual(create(lease, V1, { metadata, spec: { strategy: 'Best' } }).texts, [
      'spec.strategy: Unsupported value: "Best": supported values: "OldestEmulationVersion"',
    ]);
  });
});

describe('lease candidate', () => {
  const spec = {
    leaseName: 'l',
    binaryVersion: '1.35.0',
    emulationVersion: '1.34.0',
    strategy: 'OldestEmulationVersion',
  };

  it('is printed, and stays with its lease', () => {
    const object = stored(leaseCandidate, BETA, { metadata, spec });
    assert.deepEqual(cells(leaseCandidate, object), ['l', 'l', '1.35.0', '1.34.0', '0s']);
    assert.deepEqual(update(leaseCandidate, BETA, object, (c) => (c.spec.leaseName = 'm')).texts, [
      'spec.leaseName: Invalid value: "m": field is immutable',
    ]);
  });

  it('cannot emulate what is newer than itself', () => {
    assert.deepEqual(create(leaseCandidate, BETA, { metadata, spec: { ...spec, emulationVersion: '1.36.0' } }).texts, [
      'spec.binaryVersion: Invalid value: "1.35.0": must be greater than or equal to `emulationVersion` 1.36.0',
    ]);
    assert.deepEqual(create(leaseCandidate, BETA, { metadata, spec: { binaryVersion: 'x' } }).texts, [
      'spec.leaseName: Required value',
      'spec.binaryVersion: Invalid value: "x": must be a valid semantic version',
      'spec.strategy: Required value: must be specified',
    ]);
  });
});

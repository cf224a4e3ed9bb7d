import assert from 'node:assert/strict';
import { cells } from '../../kind-testing.ts';
import { componentStatus } from './component-status.ts';

describe('componentstatuses', () => {
  it('prints health', () => {
    const row = (...conditions: object[]): unknown[] =>
      cells(componentStatus, { metadata: { name: 'etcd-0' }, ...(conditions.length > 0 && { conditions }) });
    assert.deepEqual(row(), ['etcd-0', 'Unknown', '', '']);
    assert.deepEqual(row({ type: 'Own', status: 'True' }, { type: 'Healthy', status: 'True', message: 'ok' }), [
      'etcd-0',
      'Healthy',
      'ok',
      '',
    ]);
    assert.deepEqual(row({ type: 'Healthy', status: 'False', error: 'refused' }), [
      'etcd-0',
      'Unhealthy',
      '',
      'refused',
    ]);
  });
});

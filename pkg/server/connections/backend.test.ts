import assert from 'node:assert/strict';
import { hostPort } from './backend.ts';

describe('hostPort', () => {
  it('joins host and port', () => {
    assert.equal(hostPort({ host: 'n1.test', port: 1 }), 'n1.test:1');
    assert.equal(hostPort({ host: '10.0.0.1', port: 10250 }), '10.0.0.1:10250');
    assert.equal(hostPort({ host: 'fd00::1', port: 80 }), '[fd00::1]:80');
  });
});

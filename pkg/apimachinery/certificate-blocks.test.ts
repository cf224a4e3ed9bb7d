import assert from 'node:assert/strict';
import { certificateBlocks } from './certificate-blocks.ts';

const one = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
const other = '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----';
const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----';

describe('certificateBlocks', () => {
  it('finds every certificate, and nothing else', () => {
    assert.deepEqual(certificateBlocks(`# mine\n${one}\n${key}\n${other}\n`), [one, other]);
    assert.deepEqual(certificateBlocks(`${key}\n-----BEGIN CERTIFICATE-----\nMIIB`), []);
    assert.deepEqual(certificateBlocks(''), []);
  });
});

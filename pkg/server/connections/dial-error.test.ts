import assert from 'node:assert/strict';
import { connectError, exchangeError, handshakeError, resolveError } from './dial-error.ts';

describe('errors of connections to backends', () => {
  const failure = (code?: string): Error & { code?: string } =>
    Object.assign(new Error('text of a library, with /a/path'), code === undefined ? {} : { code });

  it('report in known words why a backend was not reached', () => {
    const message = (code?: string): string => connectError('10.0.0.1:80', failure(code)).message;
    assert.equal(message('ECONNREFUSED'), 'dial tcp 10.0.0.1:80: connect: connection refused');
    assert.equal(message('EHOSTUNREACH'), 'dial tcp 10.0.0.1:80: connect: no route to host');
    assert.equal(message('ENETUNREACH'), 'dial tcp 10.0.0.1:80: connect: network is unreachable');
    assert.equal(message('ETIMEDOUT'), 'dial tcp 10.0.0.1:80: i/o timeout');
    assert.equal(message('EWHATEVER'), 'dial tcp 10.0.0.1:80: connect: failed');
    assert.equal(message(), 'dial tcp 10.0.0.1:80: connect: failed');
  });

  it('report why a name was not found', () => {
    assert.equal(resolveError('a.test', failure('ENOTFOUND')).message, 'dial tcp: lookup a.test: no such host');
    assert.equal(resolveError('a.test', failure('EAI_AGAIN')).message, 'dial tcp: lookup a.test: server misbehaving');
  });

  it('report why a certificate was not accepted', () => {
    for (const code of ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])
      assert.equal(handshakeError(failure(code)).message, 'x509: certificate has expired or is not yet valid');
    for (const code of ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'])
      assert.equal(handshakeError(failure(code)).message, 'x509: certificate signed by unknown authority');
    assert.equal(
      handshakeError(failure('ERR_TLS_CERT_ALTNAME_INVALID')).message,
      'x509: certificate is not valid for the name of the host',
    );
    assert.equal(handshakeError(failure('ERR_SSL_WRONG_VERSION_NUMBER')).message, 'tls: handshake failure');
    assert.equal(handshakeError(failure('ECONNRESET')).message, 'EOF');
  });

  it('report later failures', () => {
    assert.equal(exchangeError(failure('HPE_INVALID_CONSTANT')).message, 'net/http: malformed HTTP response');
    assert.equal(exchangeError(failure('ECONNRESET')).message, 'EOF');
    assert.equal(exchangeError(failure('ETIMEDOUT')).message, 'i/o timeout');
    assert.equal(exchangeError(failure()).message, 'the connection failed');
  });
});

import assert from 'node:assert/strict';
import { cells, create, update } from '../kind-testing.ts';
import { stored } from '../stored-for-test.ts';
import { CA_CERTIFICATE as ca, LEAF_CERTIFICATE as leaf, SOMEONE_REQUEST as request } from './certificates-for-test.ts';
import { clusterTrustBundle } from './cluster-trust-bundle/cluster-trust-bundle.ts';
import { podCertificateRequest } from './pod-certificate-request/pod-certificate-request.ts';

const BETA = 'certificates.k8s.io/v1beta1';

describe('cluster trust bundle', () => {
  const problems = (name: string, spec: object): string[] =>
    create(clusterTrustBundle, BETA, { metadata: { name }, spec }).texts;

  it('is named after its signer', () => {
    assert.deepEqual(problems('example.com:a:b', { signerName: 'example.com/a', trustBundle: ca }), []);
    assert.deepEqual(problems('b', { trustBundle: ca }), []);
    assert.deepEqual(problems('b', { signerName: 'example.com/a', trustBundle: ca }), [
      'metadata.name: Invalid value: "b": ClusterTrustBundle for signerName example.com/a must be named with prefix example.com:a:',
    ]);
    assert.deepEqual(problems('a:b', { trustBundle: ca }), [
      'metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name',
    ]);
  });

  it('holds distinct certificates of authorities and nothing else', () => {
    const texts = (trustBundle: string): string[] =>
      problems('b', { trustBundle }).map((text) =>
        text.replace('spec.trustBundle: Invalid value: "<value omitted>": ', ''),
      );
    assert.deepEqual(texts(''), ['at least one trust anchor must be provided']);
    assert.deepEqual(texts(ca + ca.replace(/^/, '\n')), ['duplicate trust anchor (indices [0 1])']);
    assert.deepEqual(texts(`${ca}\n${leaf}\n${request}\n`), [
      'entry 1 does not have the CA bit set',
      'entry 2 has bad block type: CERTIFICATE REQUEST',
    ]);
  });

  it('keeps its signer', () => {
    const object = stored(clusterTrustBundle, BETA, {
      metadata: { name: 'example.com:a:b' },
      spec: { signerName: 'example.com/a', trustBundle: ca },
    });
    assert.deepEqual(cells(clusterTrustBundle, object), ['example.com:a:b', 'example.com/a']);
    assert.deepEqual(update(clusterTrustBundle, BETA, object, (b) => (b.spec.signerName = 'example.com/b')).texts, [
      'spec.signerName: Invalid value: "example.com/b": field is immutable',
    ]);
  });
});

describe('pod certificate request', () => {
  const spec = {
    signerName: 'example.com/a',
    podName: 'p',
    podUID: '1',
    serviceAccountName: 's',
    serviceAccountUID: '2',
    nodeName: 'n',
    nodeUID: '3',
    stubPKCS10Request: 'AQID',
  };
  const body = (change: object = {}): object => ({ metadata: { name: 'r' }, spec: { ...spec, ...change } });

  it('asks for a day, and is pending', () => {
    const object = stored(podCertificateRequest, BETA, body());
    assert.equal(object.spec.maxExpirationSeconds, 86_400);
    assert.deepEqual(cells(podCertificateRequest, object), ['r', 'p', 's', 'n', 'example.com/a', 'Pending', '<none>']);
    assert.match(
      update(podCertificateRequest, BETA, object, (r) => (r.spec.podName = 'q')).texts[0]!,
      /^spec: Invalid value: .*: field is immutable$/,
    );
  });

  it('needs key and names', () => {
    assert.deepEqual(
      create(podCertificateRequest, BETA, body({ stubPKCS10Request: '', podUID: '', maxExpirationSeconds: 1 })).texts,
      [
        'spec.podUID: Required value: must not be empty',
        'spec.maxExpirationSeconds: Invalid value: 1: must be in the range [3600, 7862400]',
        'spec.pkixPublicKey: Required value: must not be empty',
        'spec.proofOfPossession: Required value: must not be empty',
      ],
    );
  });

  it('has one result', () => {
    const object = stored(podCertificateRequest, BETA, body());
    const denied = {
      type: 'Denied',
      status: 'True',
      reason: 'No',
      message: '',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    };
    const { object: done, texts } = update(
      podCertificateRequest,
      BETA,
      object,
      (r) => (r.status.conditions = [denied]),
      { subresource: 'status' },
    );
    assert.deepEqual(texts, []);
    assert.equal(cells(podCertificateRequest, done)[5], 'Denied');
    assert.match(
      update(podCertificateRequest, BETA, done, (r) => delete r.status.conditions, { subresource: 'status' }).texts[0]!,
      /^status: .*immutable after/,
    );
    assert.equal(
      update(podCertificateRequest, BETA, object, (r) => (r.status.conditions = [{ ...denied, type: 'Issued' }]), {
        subresource: 'status',
      }).texts.length,
      4,
    );
  });
});

import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import type { stored } from '../../stored-for-test.ts';
import {
  ED25519_REQUEST,
  LEAF_CERTIFICATE,
  NODE_REQUEST,
  PSS_REQUEST,
  SERVING_REQUEST,
  SOMEONE_REQUEST,
} from '../certificates-for-test.ts';
import { certificateSigningRequest as definition } from './certificate-signing-request.ts';

const V1 = 'certificates.k8s.io/v1';
const BETA = 'certificates.k8s.io/v1beta1';
const metadata = { name: 'c' };
const base64 = (pem: string): string => Buffer.from(pem).toString('base64');

describe('certificate signing request', () => {
  const request = base64(SOMEONE_REQUEST);
  const node = base64(NODE_REQUEST);
  const serving = base64(SERVING_REQUEST);
  const certificate = base64(LEAF_CERTIFICATE);
  const valid = (): object => ({
    metadata,
    spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
  });

  function pending(): ReturnType<typeof stored> {
    const { object, texts } = create(definition, V1, valid(), {
      user: { name: 'u', uid: '1', groups: ['g'], extra: { k: ['v'] } },
    });
    assert.deepEqual(texts, []);
    object.metadata.resourceVersion = '1';
    return object;
  }

  function approved(): ReturnType<typeof stored> {
    const { object, texts } = update(
      definition,
      V1,
      pending(),
      (c) => (c.status.conditions = [{ type: 'Approved', status: 'True' }]),
      { subresource: 'approval' },
    );
    assert.deepEqual(texts, []);
    return object;
  }

  it('records the requesting user, whatever the client sends', () => {
    const object = pending();
    assert.deepEqual(
      [object.spec.username, object.spec.uid, object.spec.groups, object.spec.extra],
      ['u', '1', ['g'], { k: ['v'] }],
    );
    const forged = create(definition, V1, {
      metadata,
      spec: { ...(valid() as { spec: object }).spec, username: 'admin', groups: ['system:masters'] },
    });
    assert.equal(forged.object.spec.username, 'tester');
    assert.equal(forged.object.spec.groups, undefined);
    assert.deepEqual(cells(definition, object), [
      'c',
      '0s',
      'kubernetes.io/kube-apiserver-client',
      'u',
      '<none>',
      'Pending',
    ]);
    assert.equal(definition.fieldLabels?.['spec.signerName']?.(object), 'kubernetes.io/kube-apiserver-client');
  });

  it('refuses an empty one', () => {
    assert.deepEqual(create(definition, V1, { metadata }).texts, [
      'spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST',
      'spec.usages: Required value: usages must be provided',
      'spec.signerName: Required value: signerName must be provided',
    ]);
  });

  it('refuses bad usages, signers and lifetimes', () => {
    const problems = (spec: object): string[] =>
      create(definition, V1, { metadata, spec: { ...(valid() as { spec: object }).spec, ...spec } }).texts;
    assert.match(
      problems({ usages: ['flying'] })[0]!,
      /^spec\.usages\[0\]: Unsupported value: "flying": supported values: "any", "cert sign", /,
    );
    assert.deepEqual(problems({ usages: ['any', 'any'] }), ['spec.usages[1]: Duplicate value: "any"']);
    assert.deepEqual(problems({ signerName: 'kubernetes.io/legacy-unknown' }), [
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ]);
    assert.deepEqual(problems({ signerName: 'x' }), [
      'spec.signerName: Invalid value: "x": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
    ]);
    assert.match(
      problems({ signerName: 'com/A.B' })[0]!,
      /"com": should be a domain with at least two segments separated by dots$/,
    );
    assert.equal(problems({ signerName: 'com/A.B' }).length, 2);
    assert.deepEqual(problems({ expirationSeconds: 5 }), [
      'spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)',
    ]);
  });

  it('refuses requests that are broken or signed by another key', () => {
    const words = (text: string): string =>
      create(definition, V1, { metadata, spec: { ...(valid() as { spec: object }).spec, request: text } }).texts[0]!;
    assert.match(
      words(base64('-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n')),
      /asn1: /,
    );
    assert.match(words(certificate), /: PEM block type must be CERTIFICATE REQUEST$/);
    const der = Buffer.from(Buffer.from(request, 'base64').toString().split('\n').slice(1, -1).join(''), 'base64');
    der[der.length - 1]! ^= 1;
    assert.match(
      words(
        base64(`-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`),
      ),
      /x509|asn1|verif/i,
    );
  });

  it('quotes a part of long values', () => {
    const text = create(definition, V1, {
      metadata,
      spec: { ...(valid() as { spec: object }).spec, request: base64('a'.repeat(100_000)) },
    }).texts[0]!;
    assert.match(
      text,
      /^spec\.request: Invalid value: "(YWFh){5461}YQ==\.\.\.": PEM block type must be CERTIFICATE REQUEST$/,
    );
  });

  it('supports the usual kinds of keys', () => {
    for (const text of [ED25519_REQUEST, PSS_REQUEST, SERVING_REQUEST]) {
      assert.deepEqual(
        create(definition, V1, { metadata, spec: { ...(valid() as { spec: object }).spec, request: base64(text) } })
          .texts,
        [],
      );
    }
  });

  it('takes a signer from the request in the beta version', () => {
    const signer = (spec: object): string => create(definition, BETA, { metadata, spec }).object.spec.signerName;
    assert.equal(
      signer({ request: node, usages: ['digital signature', 'key encipherment', 'client auth'] }),
      'kubernetes.io/kube-apiserver-client-kubelet',
    );
    assert.equal(
      signer({ request: serving, usages: ['digital signature', 'key encipherment', 'server auth'] }),
      'kubernetes.io/kubelet-serving',
    );
    assert.equal(
      signer({ request: serving, usages: ['digital signature', 'client auth'] }),
      'kubernetes.io/legacy-unknown',
    );
    assert.equal(signer({ request }), 'kubernetes.io/legacy-unknown');
    assert.equal(signer({ request: '' }), 'kubernetes.io/legacy-unknown');
    assert.deepEqual(create(definition, BETA, { metadata, spec: { request } }).texts, []);
    assert.deepEqual(create(definition, BETA, { metadata, spec: { request } }).object.spec.usages, [
      'digital signature',
      'key encipherment',
    ]);
  });

  it('keeps the request unchanged', () => {
    const changed = update(definition, V1, pending(), (c) => (c.spec.signerName = 'example.com/x'));
    assert.deepEqual(changed.texts, []);
    assert.equal(changed.object.spec.signerName, 'kubernetes.io/kube-apiserver-client');
  });

  it('is approved on the approval path alone', () => {
    assert.deepEqual(
      update(definition, V1, pending(), (c) => (c.status.conditions = [{ type: 'Approved', status: 'True' }]), {
        subresource: 'status',
      }).texts,
      ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
    );
    const object = approved();
    assert.deepEqual(object.status.conditions[0].lastUpdateTime, '2026-01-02T03:04:05Z');
    assert.deepEqual(object.status.conditions[0].lastTransitionTime, '2026-01-02T03:04:05Z');
    assert.equal(cells(definition, object)[5], 'Approved');
    assert.deepEqual(
      update(definition, V1, object, (c) => delete c.status.conditions, { subresource: 'approval' }).texts,
      ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
    );
    assert.deepEqual(
      update(definition, V1, object, (c) => c.status.conditions.push({ type: 'Denied', status: 'True' }), {
        subresource: 'approval',
      }).texts,
      ['status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'],
    );
    assert.deepEqual(
      update(
        definition,
        V1,
        pending(),
        (c) => (c.status.conditions = [{ type: 'Denied', status: 'False' }, { type: '' }]),
        { subresource: 'approval' },
      ).texts,
      [
        'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
        'status.conditions[1].type: Required value',
        'status.conditions[1].status: Required value',
      ],
    );
  });

  it('is issued on the status path alone, once', () => {
    assert.deepEqual(
      update(definition, V1, approved(), (c) => (c.status.certificate = certificate), { subresource: 'approval' })
        .object.status.certificate,
      undefined,
    );
    const { object, texts } = update(definition, V1, approved(), (c) => (c.status.certificate = certificate), {
      subresource: 'status',
    });
    assert.deepEqual(texts, []);
    assert.equal(cells(definition, object)[5], 'Approved,Issued');
    assert.deepEqual(
      update(definition, V1, object, (c) => delete c.status.certificate, { subresource: 'status' }).texts,
      ['status.certificate: Forbidden: updates may not modify existing certificate content'],
    );
    assert.deepEqual(
      update(definition, V1, approved(), (c) => (c.status.certificate = base64('x')), { subresource: 'status' }).texts,
      ['status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'],
    );
    assert.deepEqual(
      update(definition, V1, approved(), (c) => (c.status.certificate = request), { subresource: 'status' }).texts,
      [
        'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
      ],
    );
  });
});

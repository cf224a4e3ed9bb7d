import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answerJson, startHttpsService, type HttpsService } from '../../net/https-service-testing.ts';
import type { AdmissionRequest } from '../admission.ts';
import { refusalOf, requestFor } from '../plugin-testing.ts';
import { imagePolicyConfiguration } from './configuration.ts';
import { imagePolicyWebhookPlugin } from './plugin.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';

describe('ImagePolicyWebhook', () => {
  let dir: string;
  let file: string;
  let backend: HttpsService;
  let now: number;
  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-images-'));
    backend = await startHttpsService(() => undefined);
    file = path.join(dir, 'backend.yaml');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `${backend.url}/images`,
              'certificate-authority-data': Buffer.from(backend.ca).toString('base64'),
            },
          },
        ],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
  });
  after(async () => {
    await backend.close();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(() => {
    now = 1000;
    backend.received.length = 0;
  });
  const answer = (status: object): void =>
    backend.answerWith((_, response) =>
      answerJson(response, { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', status }),
    );
  const plugin = (more: object = {}) =>
    imagePolicyWebhookPlugin(
      imagePolicyConfiguration({ imagePolicy: { kubeConfigFile: file, retryBackoff: 1, ...more } }),
      () => now,
      new DeprecatedCertificates(),
    );
  const image = (name: string): object => ({ name: 'c', image: name });
  const pod = (spec: object, overrides: Partial<AdmissionRequest> = {}) =>
    requestFor(
      'pods',
      {
        metadata: {
          name: 'p',
          namespace: 'a',
          annotations: { 'team.image-policy.k8s.io/break-glass': 'yes', other: 'x' },
        },
        spec,
      },
      overrides,
    );

  it('sends all containers, with the annotations for the backend', async () => {
    answer({ allowed: true });
    assert.equal(
      await refusalOf(plugin(), pod({ containers: [image('a:1'), image('b:1')], initContainers: [image('i:1')] })),
      undefined,
    );
    const { spec } = JSON.parse(backend.received[0]!.body) as { spec: unknown };
    assert.deepEqual(spec, {
      containers: [{ image: 'a:1' }, { image: 'b:1' }, { image: 'i:1' }],
      annotations: { 'team.image-policy.k8s.io/break-glass': 'yes' },
      namespace: 'a',
    });
  });

  it('sends debug containers when they are added', async () => {
    answer({ allowed: false, reason: 'no tools' });
    const debugging = pod(
      { containers: [image('a:1')], ephemeralContainers: [image('shell:1')] },
      { operation: 'UPDATE', subresource: 'ephemeralcontainers' },
    );
    assert.equal(
      await refusalOf(plugin(), debugging),
      '403 pods "p" is forbidden: image policy webhook backend denied one or more images: no tools',
    );
    assert.deepEqual((JSON.parse(backend.received[0]!.body) as { spec: { containers: unknown } }).spec.containers, [
      { image: 'shell:1' },
    ]);
  });

  it('refuses without a reason too', async () => {
    answer({ allowed: false });
    assert.equal(
      await refusalOf(plugin(), pod({ containers: [image('a:1')] })),
      '403 pods "p" is forbidden: one or more images rejected by webhook backend',
    );
  });

  it('waits no longer than the client, retries included', async () => {
    backend.answerWith((_, response) => response.writeHead(500).end());
    const deadlineMs = performance.now() + 50;
    assert.equal(
      await refusalOf(
        plugin({ retryBackoff: 60_000, defaultAllow: true }),
        pod({ containers: [image('late:1')] }, { deadlineMs }),
      ),
      '504 Timeout: request did not complete within requested timeout',
    );
    assert.equal(backend.received.length, 1);
  });

  it('caches answers for their time', async () => {
    answer({ allowed: true });
    const asked = plugin({ allowTTL: 10, denyTTL: -1 });
    for (const later of [0, 9000, 2000]) {
      now += later;
      await refusalOf(asked, pod({ containers: [image('a:1')] }));
    }
    assert.equal(backend.received.length, 2);
    answer({ allowed: false });
    for (let i = 0; i < 2; i++) await refusalOf(asked, pod({ containers: [image('bad:1')] }));
    assert.equal(backend.received.length, 4);
  });

  it('accepts answers that do not name their type', async () => {
    backend.answerWith((_, response) => answerJson(response, { status: { allowed: false, reason: 'no seal' } }));
    assert.equal(
      await refusalOf(plugin({ defaultAllow: true }), pod({ containers: [image('a:1')] })),
      '403 pods "p" is forbidden: image policy webhook backend denied one or more images: no seal',
    );
  });

  it('follows the configured default when the backend fails', async () => {
    for (const broken of [
      () => answer({ allowed: 'perhaps' }),
      () => backend.answerWith((_, response) => answerJson(response, { kind: 'Other' })),
      () => backend.answerWith((_, response) => answerJson(response, {}, 400)),
    ]) {
      broken();
      assert.match(
        (await refusalOf(plugin(), pod({ containers: [image('a:1')] }))) ?? '',
        /^403 pods "p" is forbidden: /,
      );
      const notes: string[] = [];
      const request = pod(
        { containers: [image('a:1')] },
        { notes: { warn: () => undefined, annotate: (key, value) => void notes.push(`${key}=${value}`) } },
      );
      assert.equal(await refusalOf(plugin({ defaultAllow: true }), request), undefined);
      assert.deepEqual(notes, ['imagepolicywebhook.image-policy.k8s.io/failed-open=true']);
      assert.equal(request.object!.metadata.annotations!['alpha.image-policy.k8s.io/failed-open'], 'true');
    }
  });

  it('passes audit annotations of the backend on', async () => {
    answer({ allowed: true, auditAnnotations: { checked: 'twice' } });
    const notes: string[] = [];
    await refusalOf(
      plugin(),
      pod(
        { containers: [image('a:1')] },
        { notes: { warn: () => undefined, annotate: (key, value) => void notes.push(`${key}=${value}`) } },
      ),
    );
    assert.deepEqual(notes, ['imagepolicywebhook.image-policy.k8s.io/checked=twice']);
  });

  const wrong: readonly (readonly [what: string, section: object, problem: RegExp])[] = [
    ['no file', {}, /kubeConfigFile must name a file/],
    [
      'a long time',
      { kubeConfigFile: 'x', allowTTL: 999_999 },
      /allowTTL: valid value is between 1 and 1800, got 999999/,
    ],
    ['a default that is none', { kubeConfigFile: 'x', defaultAllow: 'yes' }, /defaultAllow must be true or false/],
  ];
  for (const [what, section, problem] of wrong)
    it(`refuses a configuration with ${what}`, () =>
      assert.throws(() => imagePolicyConfiguration({ imagePolicy: section }), problem));
});

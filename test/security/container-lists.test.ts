/**
 * No list of containers, old or new, is overlooked by a plugin that looks at containers (class of CVE-2023-2727 and
 * CVE-2023-2728).
 */
import assert from 'node:assert/strict';
import type { AdmissionPlugin, AdmissionRequest } from '../../pkg/admission/admission.ts';
import { alwaysPullImagesPlugin } from '../../pkg/admission/always-pull-images/plugin.ts';
import { authorizerOf } from '../../pkg/admission/authorizer-testing.ts';
import { denyEscalatingExecPlugin } from '../../pkg/admission/deny-escalating-exec/plugin.ts';
import { denyExecOnPrivilegedPlugin } from '../../pkg/admission/deny-exec-on-privileged/plugin.ts';
import { imagePolicyWebhookPlugin } from '../../pkg/admission/image-policy-webhook/plugin.ts';
import { nodeRestrictionPlugin } from '../../pkg/admission/node-restriction/plugin.ts';
import { lookupOf, refusalOf, requestFor } from '../../pkg/admission/plugin-testing.ts';
import { podSecurityPolicyPlugin } from '../../pkg/admission/pod-security-policy/plugin.ts';
import { podSecuritySettings } from '../../pkg/admission/pod-security/configuration.ts';
import { podSecurityPlugin } from '../../pkg/admission/pod-security/plugin.ts';
import { securityContextDenyPlugin } from '../../pkg/admission/security-context-deny/plugin.ts';
import { serviceAccountPlugin } from '../../pkg/admission/service-account/plugin.ts';
import { answerJson, startHttpsService } from '../../pkg/net/https-service-testing.ts';
import { schemaOf } from '../../pkg/codec/schemas.ts';
import type { Answer } from '../fixtures/api-client.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { expectRefusal } from './expect-refusal.ts';
import { DeprecatedCertificates } from '../../pkg/webhooks/deprecated-certificates.ts';

/**
 * The fields of a pod's spec that list containers, read from the schema: a new one is tested from the day it is there.
 */
const lists = schemaOf('core/v1.PodSpec')
  .fields.filter(({ card, refName }) => card === 'list' && refName?.endsWith('Container') === true)
  .map(({ name }) => name);

const plain = (name: string): object => ({ name, image: 'known' });
/** A pod of which one list alone has something worth a second look. */
const podWith = (
  list: string,
  container: object,
  metadata: object = {},
  spec: object = {},
): { metadata: object; spec: Record<string, unknown> } => ({
  metadata: { name: 'p', namespace: 'n', ...metadata },
  spec: {
    securityContext: {},
    ...spec,
    containers: [plain('c')],
    ...(list === 'containers'
      ? { containers: [plain('c'), { name: 'x', image: 'new', ...container }] }
      : { [list]: [{ name: 'x', image: 'new', ...container }] }),
  },
});

const privileged = { securityContext: { privileged: true } };
const secretInEnvironment = { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }] };
const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const any = { rule: 'RunAsAny' };
const policy = (more: object = {}): object => ({
  metadata: { name: 'policy' },
  spec: {
    seLinux: any,
    runAsUser: any,
    supplementalGroups: any,
    fsGroup: any,
    allowPrivilegeEscalation: true,
    volumes: ['*'],
    ...more,
  },
});
const observer = { podEvaluated: () => undefined, podExempted: () => undefined };
const level = (name: string): AdmissionPlugin =>
  podSecurityPlugin(
    lookupOf({ namespaces: [{ metadata: { name: 'n', labels: { 'pod-security.kubernetes.io/enforce': name } } }] }),
    podSecuritySettings(undefined),
    observer,
  );
const accounts = lookupOf({
  serviceaccounts: [
    {
      metadata: { name: 'strict', namespace: 'n', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
      secrets: [{ name: 'mine' }],
    },
  ],
});
const asStrict = { serviceAccountName: 'strict', automountServiceAccountToken: false };
const byPolicy = (more: object = {}): AdmissionPlugin =>
  podSecurityPolicyPlugin(
    lookupOf({ 'podsecuritypolicies.policy': [policy(more)] }),
    authorizerOf(() => true),
  );
const node = { user: { name: 'system:node:m', groups: ['system:nodes'] } };

interface Probe {
  readonly what: string;
  readonly plugin: AdmissionPlugin;
  /** What must not pass, in whatever list it stands. */
  readonly container: object;
  readonly metadata?: object;
  readonly spec?: object;
  readonly request?: Partial<AdmissionRequest>;
  /** A container without any settings does not pass either. */
  readonly plainToo?: boolean;
}

/** Plugins that look at what is written, and refuse. */
const refusing: readonly Probe[] = [
  {
    what: 'SecurityContextDeny of users',
    plugin: securityContextDenyPlugin(),
    container: { securityContext: { runAsUser: 0 } },
  },
  {
    what: 'SecurityContextDeny of labels',
    plugin: securityContextDenyPlugin(),
    container: { securityContext: { seLinuxOptions: { level: 's0' } } },
  },
  { what: 'PodSecurity baseline, privileges', plugin: level('baseline'), container: privileged },
  {
    what: 'PodSecurity baseline, capabilities',
    plugin: level('baseline'),
    container: { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } },
  },
  {
    what: 'PodSecurity baseline, host ports',
    plugin: level('baseline'),
    container: { ports: [{ containerPort: 1, hostPort: 1 }] },
  },
  {
    what: 'PodSecurity baseline, proc mount',
    plugin: level('baseline'),
    container: { securityContext: { procMount: 'Unmasked' } },
  },
  {
    what: 'PodSecurity baseline, seccomp',
    plugin: level('baseline'),
    container: { securityContext: { seccompProfile: { type: 'Unconfined' } } },
  },
  {
    what: 'PodSecurity baseline, Windows host process',
    plugin: level('baseline'),
    container: { securityContext: { windowsOptions: { hostProcess: true } } },
  },
  {
    what: 'PodSecurity restricted',
    plugin: level('restricted'),
    container: { securityContext: { allowPrivilegeEscalation: true } },
    plainToo: true,
  },
  { what: 'PodSecurityPolicy, privileges', plugin: byPolicy(), container: privileged },
  {
    what: 'PodSecurityPolicy, capabilities',
    plugin: byPolicy(),
    container: { securityContext: { capabilities: { add: ['SYS_ADMIN'] } } },
  },
  {
    what: 'PodSecurityPolicy, users',
    plugin: byPolicy({ runAsUser: { rule: 'MustRunAsNonRoot' } }),
    container: { securityContext: { runAsUser: 0 } },
    spec: { securityContext: { runAsNonRoot: true } },
  },
  {
    what: 'PodSecurityPolicy, host ports',
    plugin: byPolicy(),
    container: { ports: [{ containerPort: 1, hostPort: 1 }] },
  },
  {
    what: 'PodSecurityPolicy, root file system',
    plugin: byPolicy({ readOnlyRootFilesystem: true }),
    container: { securityContext: { readOnlyRootFilesystem: false } },
    plainToo: true,
  },
  {
    what: 'ServiceAccount, secrets in variables',
    plugin: serviceAccountPlugin(accounts, { tokensFromSecrets: false }),
    container: secretInEnvironment,
    spec: asStrict,
  },
  {
    what: 'ServiceAccount, secrets as environment',
    plugin: serviceAccountPlugin(accounts, { tokensFromSecrets: false }),
    container: { envFrom: [{ secretRef: { name: 'other' } }] },
    spec: asStrict,
  },
];

/** Plugins that are about the whole pod when it is made, or when it is entered. */
const ofMirrorPods: readonly Probe[] = [
  {
    what: 'ServiceAccount, secrets of mirror pods',
    plugin: serviceAccountPlugin(accounts, { tokensFromSecrets: false }),
    container: secretInEnvironment,
    metadata: mirror,
  },
  {
    what: 'NodeRestriction, secrets of mirror pods',
    plugin: nodeRestrictionPlugin(lookupOf({ nodes: [{ metadata: { name: 'm', uid: 'u' } }] })),
    container: secretInEnvironment,
    metadata: {
      ...mirror,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'm', uid: 'u', controller: true }],
    },
    spec: { nodeName: 'm' },
    request: node,
  },
];

describe('lists of containers', () => {
  it('are the three that this table knows, or more', () => {
    for (const known of ['containers', 'initContainers', 'ephemeralContainers'])
      assert.ok(lists.includes(known), known);
  });

  for (const list of lists) {
    /** How such a container comes: with the pod, or afterwards by the path for debug containers. */
    const requests = (probe: Probe): AdmissionRequest[] => {
      const pod = podWith(list, probe.container, probe.metadata, probe.spec);
      const before = podWith('none', {}, probe.metadata, probe.spec);
      delete before.spec['none'];
      const added = requestFor('pods', pod, {
        operation: 'UPDATE',
        subresource: 'ephemeralcontainers',
        oldObject: before as never,
        ...probe.request,
      });
      return list === 'ephemeralContainers' ? [added] : [requestFor('pods', pod, probe.request)];
    };

    for (const probe of refusing) {
      it(`${list}: ${probe.what}`, async () => {
        for (const request of requests(probe))
          assert.match((await refusalOf(probe.plugin, request)) ?? 'passed', /^403 pods "p" is forbidden: /);
        if (probe.plainToo === true) return;
        for (const request of requests({ ...probe, container: {} }))
          assert.equal(await refusalOf(probe.plugin, request), undefined, 'nothing else is wrong with it');
      });
    }

    for (const probe of ofMirrorPods) {
      it(`${list}: ${probe.what}`, async () => {
        assert.match(
          (await refusalOf(
            probe.plugin,
            requestFor('pods', podWith(list, probe.container, probe.metadata, probe.spec), probe.request),
          )) ?? 'passed',
          /secret/,
        );
      });
    }

    it(`${list}: AlwaysPullImages`, async () => {
      const plugin = alwaysPullImagesPlugin();
      for (const request of requests({ what: '', plugin, container: { imagePullPolicy: 'Never' } })) {
        assert.match(
          (await refusalOf({ name: 'x', validate: (r) => plugin.validate?.(r) }, request)) ?? 'passed',
          /imagePullPolicy: Unsupported value: "Never"/,
        );
        assert.equal(await refusalOf(plugin, request), undefined);
        for (const container of (request.object as unknown as { spec: Record<string, { imagePullPolicy: string }[]> })
          .spec[list]!)
          assert.equal(container.imagePullPolicy, 'Always');
      }
    });

    it(`${list}: ImagePolicyWebhook`, async () => {
      const backend = await startHttpsService(({ body }, response) => {
        const images = JSON.parse(body).spec.containers.map(({ image }: { image: string }) => image);
        answerJson(response, {
          kind: 'ImageReview',
          apiVersion: 'imagepolicy.k8s.io/v1alpha1',
          status: { allowed: !images.includes('new'), reason: 'unknown image' },
        });
      });
      try {
        const config = { server: new URL(backend.url), ca: backend.ca, credentials: {} };
        const plugin = imagePolicyWebhookPlugin(
          { backend: config, allowTtlMs: 0, denyTtlMs: 0, retryBackoffMs: 1, defaultAllow: false },
          Date.now,
          new DeprecatedCertificates(),
        );
        for (const request of requests({ what: '', plugin, container: {} }))
          assert.match((await refusalOf(plugin, request)) ?? 'passed', /^403 pods "p" is forbidden: .*unknown image/);
        for (const request of requests({ what: '', plugin, container: { image: 'known' } }))
          assert.equal(await refusalOf(plugin, request), undefined);
      } finally {
        await backend.close();
      }
    });

    it(`${list}: plugins that guard entering pods`, async () => {
      const lookup = lookupOf({ pods: [podWith(list, privileged)] });
      for (const plugin of [denyEscalatingExecPlugin(lookup), denyExecOnPrivilegedPlugin(lookup)]) {
        for (const subresource of ['exec', 'attach']) {
          assert.match(
            (await refusalOf(
              plugin,
              requestFor('pods', undefined, { operation: 'CONNECT', subresource, namespace: 'n', name: 'p' }),
            )) ?? 'passed',
            /a privileged container/,
          );
        }
      }
    });
  }
});

describe("containers that are added to a running server's pods", () => {
  let server: TestServer;
  const pods = '/api/v1/namespaces/held/pods';
  before(async () => {
    server = await startTestServer({
      args: ['--enable-admission-plugins=AlwaysPullImages', '--allow-privileged=true'],
    });
    assert.equal(
      (
        await server.client.post('/api/v1/namespaces', {
          metadata: {
            name: 'held',
            labels: { 'pod-security.kubernetes.io/enforce': 'baseline', 'pod-security.kubernetes.io/warn': 'baseline' },
          },
        })
      ).status,
      201,
    );
    const account = {
      metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
      automountServiceAccountToken: false,
    };
    assert.equal((await server.client.post('/api/v1/namespaces/held/serviceaccounts', account)).status, 201);
    const made = await server.client.post(pods, {
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'strict', containers: [plain('c')] },
    });
    assert.equal(made.status, 201, made.body.toString());
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  /** Every way to write the debug containers of a pod. */
  async function ways(container: object): Promise<[way: string, answer: Answer][]> {
    const { client } = server;
    const added = [{ name: 'debug', image: 'new', ...container }];
    const current = (await client.get(`${pods}/p`)).json;
    const at = `${pods}/p/ephemeralcontainers`;
    return [
      ['put', await client.put(at, { ...current, spec: { ...current.spec, ephemeralContainers: added } })],
      ['merge', await client.patch(at, 'merge', { spec: { ephemeralContainers: added } })],
      ['strategic', await client.patch(at, 'strategic', { spec: { ephemeralContainers: added } })],
      ['json', await client.patch(at, 'json', [{ op: 'add', path: '/spec/ephemeralContainers', value: added }])],
      [
        'pod, put',
        await client.put(`${pods}/p`, { ...current, spec: { ...current.spec, ephemeralContainers: added } }),
      ],
      ['pod, patch', await client.patch(`${pods}/p`, 'strategic', { spec: { ephemeralContainers: added } })],
      ['status', await client.patch(`${pods}/p/status`, 'merge', { spec: { ephemeralContainers: added } })],
    ];
  }

  it('are held to the level of the namespace and the secrets of the account, by every way', async () => {
    for (const container of [
      privileged,
      { securityContext: { capabilities: { add: ['NET_ADMIN'] } } },
      secretInEnvironment,
    ]) {
      for (const [way, answer] of await ways(container)) {
        if (way !== 'status')
          assert.ok(
            answer.status === 403 || (way.startsWith('pod,') && answer.status === 422),
            `${way}: ${answer.status} ${answer.body}`,
          );
      }
      assert.equal((await server.client.get(`${pods}/p`)).json.spec.ephemeralContainers, undefined);
    }
    const allowed = await server.client.patch(`${pods}/p/ephemeralcontainers`, 'strategic', {
      spec: { ephemeralContainers: [{ name: 'debug', image: 'new', imagePullPolicy: 'Never' }] },
    });
    assert.deepEqual([allowed.status, allowed.json.spec.ephemeralContainers[0].imagePullPolicy], [200, 'Always']);
  });

  it('are no part of what a pod is made with', async () => {
    for (const container of [privileged, {}]) {
      const spec = {
        serviceAccountName: 'strict',
        containers: [plain('c')],
        ephemeralContainers: [{ name: 'debug', image: 'i', ...container }],
      };
      expectRefusal(await server.client.post(pods, { metadata: { name: 'q' }, spec }), {
        code: 422,
        reason: 'Invalid',
        message: /spec.ephemeralContainers: Forbidden: cannot be set on create/,
      });
    }
  });

  it('are seen in the templates of everything that makes pods', async () => {
    const labels = { a: 'b' };
    for (const list of ['containers', 'initContainers'] as const) {
      const template = { metadata: { labels }, spec: { restartPolicy: 'Never', ...podWith(list, privileged).spec } };
      const always = { ...template, spec: { ...template.spec, restartPolicy: 'Always' } };
      const selector = { matchLabels: labels };
      const cases: [string, object][] = [
        ['/api/v1/namespaces/held/podtemplates', { template: always }],
        ['/api/v1/namespaces/held/replicationcontrollers', { spec: { selector: labels, template: always } }],
        ['/apis/apps/v1/namespaces/held/deployments', { spec: { selector, template: always } }],
        ['/apis/apps/v1/namespaces/held/replicasets', { spec: { selector, template: always } }],
        ['/apis/apps/v1/namespaces/held/daemonsets', { spec: { selector, template: always } }],
        ['/apis/apps/v1/namespaces/held/statefulsets', { spec: { selector, serviceName: 's', template: always } }],
        ['/apis/batch/v1/namespaces/held/jobs', { spec: { template } }],
        [
          '/apis/batch/v1/namespaces/held/cronjobs',
          { spec: { schedule: '@daily', jobTemplate: { spec: { template } } } },
        ],
      ];
      for (const [url, body] of cases) {
        const {
          status,
          headers,
          body: text,
        } = await server.client.post(`${url}?dryRun=All`, { metadata: { name: 'made' }, ...body });
        assert.equal(status, 201, `${url}: ${text}`);
        assert.match(String(headers['warning']), /would violate PodSecurity .*privileged/, url);
      }
    }
  });
});

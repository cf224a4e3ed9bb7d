import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { namespaces, resourceQuotas } from '../api/core/tokens.ts';
import { serviceCidrs } from '../api/networking/tokens.ts';
import { clusterRoles } from '../api/rbac/tokens.ts';
import { apiserverLeaseGcController } from './apiserver-lease-gc/controller.ts';
import { bootstrapSignerController } from './bootstrap-tokens/bootstrap-signer.ts';
import { tokenCleanerController } from './bootstrap-tokens/token-cleaner.ts';
import { certificateApprovingController } from './certificate-approving/controller.ts';
import { certificateCleanerController } from './certificate-cleaner/controller.ts';
import { clusterAuthenticationTrustController } from './cluster-authentication-trust/controller.ts';
import { clusterRoleAggregationController } from './clusterrole-aggregation/controller.ts';
import type { ControllerContext } from './controller-context.ts';
import type { Controller } from './controller.ts';
import { ControllersFixture } from './controllers-testing.ts';
import { defaultServiceCidrController } from './default-service-cidr/controller.ts';
import { flowControlObjectsController } from './flow-control-objects/controller.ts';
import { flowSchemaStatusController } from './flow-schema-status/controller.ts';
import type { ControllersConfig } from './controllers-config.ts';
import { legacyTokenCleanerController } from './legacy-token-cleaner/controller.ts';
import { legacyTokenTrackingController } from './legacy-token-tracking/controller.ts';
import { resourceQuotaController } from './resource-quota/controller.ts';
import { rootCaPublisherController } from './root-ca-publisher/controller.ts';
import { serviceAccountTokenController } from './serviceaccount-token/controller.ts';
import { serviceCidrController } from './service-cidr/controller.ts';
import { serviceAccountController } from './serviceaccount/controller.ts';
import { systemNamespacesController } from './system-namespaces/controller.ts';

const HOUR_MS = 3600_000;

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const config = {
  accounts: {
    rootCa: 'CA',
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    tokenCleanUpMs: HOUR_MS,
  },
  workers: { serviceAccountToken: 1, resourceQuota: 1 },
  resourceQuota: { resyncMs: HOUR_MS / 12 },
} as ControllersConfig;

/** Each alone, then all together: none undoes the work of another. */
const controllers: readonly ((context: ControllerContext) => Controller)[] = [
  apiserverLeaseGcController,
  (context) => clusterAuthenticationTrustController(context, () => ({ clientCa: 'no certificate' })),
  clusterRoleAggregationController,
  (context) => defaultServiceCidrController(context, { cidrs: ['10.0.0.0/24'], onWarning: assert.fail }),
  flowControlObjectsController,
  flowSchemaStatusController,
  legacyTokenTrackingController,
  serviceAccountController,
  serviceCidrController,
  systemNamespacesController,
  ...[
    bootstrapSignerController,
    certificateApprovingController,
    certificateCleanerController,
    legacyTokenCleanerController,
    resourceQuotaController,
    rootCaPublisherController,
    serviceAccountTokenController,
    tokenCleanerController,
  ].map(
    ({ create }) =>
      (context: ControllerContext) =>
        create(context, config)!,
  ),
];

describe('controllers that have nothing to do', () => {
  const stayIdle = async (made: typeof controllers): Promise<void> => {
    const fixture = new ControllersFixture();
    const { client, context, clock } = fixture;
    await client.create(namespaces, { metadata: { name: 'a' }, spec: {}, status: { phase: 'Active' } });
    await client.create(serviceCidrs, { metadata: { name: 'more' }, spec: { cidrs: ['10.1.0.0/24'] }, status: {} });
    await client.create(clusterRoles, {
      metadata: { name: 'aggregating' },
      rules: [],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'true' } }] },
    });
    await client.create(resourceQuotas, {
      metadata: { name: 'q', namespace: 'a' },
      spec: { hard: { pods: '1' } },
      status: {},
    });
    for (const create of made) await fixture.start(create(context));
    // Changes of flow control's objects are looked at after a minute.
    await clock.advance(120_000);
    const before = fixture.requests.length;
    await clock.advance(HOUR_MS);
    await fixture.stop();
    assert.deepEqual([fixture.requests.slice(before), fixture.errors], [[], []]);
  };
  for (const create of controllers) {
    const fixture = new ControllersFixture();
    const { name } = create(fixture.context);
    it(`ask nothing: ${name}`, () => stayIdle([create]));
  }

  it('ask nothing together', () => stayIdle(controllers));
});

import assert from 'node:assert/strict';
import { namespaces } from '../api/core/tokens.ts';
import { serviceCidrs } from '../api/networking/tokens.ts';
import { clusterRoles } from '../api/rbac/tokens.ts';
import { apiserverLeaseGcController } from './apiserver-lease-gc/controller.ts';
import { clusterAuthenticationTrustController } from './cluster-authentication-trust/controller.ts';
import { clusterRoleAggregationController } from './clusterrole-aggregation/controller.ts';
import type { ControllerContext } from './controller-context.ts';
import type { Controller } from './controller.ts';
import { ControllersFixture } from './controllers-testing.ts';
import { defaultServiceCidrController } from './default-service-cidr/controller.ts';
import { flowControlObjectsController } from './flow-control-objects/controller.ts';
import { flowSchemaStatusController } from './flow-schema-status/controller.ts';
import { legacyTokenTrackingController } from './legacy-token-tracking/controller.ts';
import { serviceCidrController } from './service-cidr/controller.ts';
import { serviceAccountController } from './serviceaccount/controller.ts';
import { systemNamespacesController } from './system-namespaces/controller.ts';

const HOUR_MS = 3600_000;

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

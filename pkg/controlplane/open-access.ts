import { AdmissionChain } from '../admission/admission.ts';
import { buildAdmission } from '../admission/build-admission.ts';
import { deviceAccessPlugin } from '../admission/device-access/plugin.ts';
import { lookupIn } from '../admission/object-lookup.ts';
import { roleEscalationPlugin } from '../admission/role-escalation/plugin.ts';
import { buildAuthenticator } from '../authentication/build-authenticator.ts';
import { buildAuthorizer } from '../authorization/build-authorizer.ts';
import type { ServerAddress } from '../net/server-address.ts';
import type { AccessControl } from '../server/access-control.ts';
import { FlowControl } from '../server/flow-control/flow-control.ts';
import type { ServerConfig } from './config/server-config.ts';
import { errorReport, type Environment } from './environment.ts';
import type { Backends } from './open-backends.ts';
import type { OpenParts } from './open-parts.ts';
import type { Registry } from './open-registry.ts';

/** Who gets in, what they may do, what is done to what they bring, and how requests share the server. */
export interface Access {
  readonly accessControl: AccessControl;
  /** Absent where requests are bounded by the in-flight limits alone. */
  readonly flowControl: FlowControl | undefined;
}

/** What access is opened over. */
export interface AccessParts {
  readonly environment: Environment;
  readonly backends: Backends;
  readonly registry: Registry;
  /** Read when it is asked for: the port may not be known yet. */
  readonly address: ServerAddress;
}

/** Fourth step of a start: authenticators, authorizers, the admission chain, flow control. Opens no connection. */
export function openAccess(config: ServerConfig, access: AccessParts, parts: OpenParts): Access {
  const flowControl = openFlowControl(config, access);
  if (flowControl !== undefined) parts.add(() => flowControl.stop());
  return { accessControl: openAccessControl(config, access), flowControl };
}

function openAccessControl(config: ServerConfig, access: AccessParts): AccessControl {
  const { environment, backends, registry, address } = access;
  const { metrics, adminToken, tls } = backends;
  const { access: stores, pools } = registry;
  const onError = errorReport(environment);
  const { authenticator, tokens, serviceAccounts, challenge } = buildAuthenticator({
    config: config.authentication,
    stores,
    adminToken,
    servingKey: tls.tls.pair.key,
    address,
    observer: metrics.authenticationObserver,
    onError,
    nowMs: Date.now,
  });
  const { authorizer, escalation } = buildAuthorizer({
    config: config.authorization,
    stores,
    observer: metrics.authorizationObserver,
    onError,
  });
  const lookup = lookupIn(stores);
  const plugins = buildAdmission(config.admission, {
    lookup,
    stores,
    authorizer,
    applyJsonPatch: (document, patch, bytes) => pools.patch({ type: 'json', document, patch, message: '' }, bytes),
    podSecurityObserver: metrics.admissionObserver,
    webhookObserver: metrics.admissionObserver,
    nowMs: Date.now,
    onError,
  });
  const admission = new AdmissionChain(
    [deviceAccessPlugin(lookup, authorizer), ...plugins, roleEscalationPlugin(escalation)],
    metrics.admissionObserver,
  );
  return { authenticator, challenge, tokens, serviceAccounts, authorizer, admission };
}

function openFlowControl(
  { server }: ServerConfig,
  { environment, backends, registry }: AccessParts,
): FlowControl | undefined {
  const { fairly, inFlight } = server.limits;
  const totalSeats = inFlight.readOnly + inFlight.mutating;
  // Without limits there is nothing to share.
  if (!fairly || totalSeats === 0) return undefined;
  const onError = errorReport(environment);
  return new FlowControl({
    stores: registry.stores,
    totalSeats,
    observer: backends.metrics.flowObserver,
    onError: (error) => onError(error, 'priority and fairness'),
  });
}

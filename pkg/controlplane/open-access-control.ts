import { AdmissionChain, type AdmissionObserver } from '../admission/admission.ts';
import { buildAdmission } from '../admission/build-admission.ts';
import { deviceAccessPlugin } from '../admission/device-access/plugin.ts';
import { lookupIn } from '../admission/object-lookup.ts';
import type { PodSecurityObserver } from '../admission/pod-security/pod-security-observer.ts';
import { roleEscalationPlugin } from '../admission/role-escalation/plugin.ts';
import type { WebhookObserver } from '../admission/webhook/webhook-observer.ts';
import type { JsonPatchApplier } from '../apimachinery/patch/json-patch-applier.ts';
import type { AuthenticationObserver } from '../authentication/authentication-observer.ts';
import { buildAuthenticator } from '../authentication/build-authenticator.ts';
import { alwaysDeny } from '../authorization/always-deny/authorizer.ts';
import type { AuthorizationObserver } from '../authorization/authorization-observer.ts';
import { buildAuthorizer } from '../authorization/build-authorizer.ts';
import { GatheredProblems } from '../options/gathered-problems.ts';
import type { OptionValues } from '../options/option.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import type { AccessControl } from '../server/access-control.ts';

export interface AccessControlSettings {
  readonly options: OptionValues;
  readonly adminToken: string;
  /** PEM of the secure port's private key. */
  readonly servingKey: string;
  /** Where others reach this server. */
  readonly address: { readonly hostPort: string };
  readonly authenticationObserver: AuthenticationObserver;
  readonly authorizationObserver: AuthorizationObserver;
  readonly admissionObserver: AdmissionObserver & PodSecurityObserver & WebhookObserver;
  readonly applyJsonPatch: JsonPatchApplier;
  readonly onError: (error: unknown, where: string) => void;
}

/**
 * What the options say of identity, authorization and admission. Throws `OptionsError` with all that is wrong with the
 * files that they name. Opens no connection and writes nothing: a start also calls it only to see what is wrong.
 */
export function openAccessControl(settings: AccessControlSettings, stores: StoreAccess): AccessControl {
  const { options, adminToken, servingKey, address, admissionObserver, applyJsonPatch, onError } = settings;
  const gathered = new GatheredProblems();
  const authentication = gathered.attempt(() =>
    buildAuthenticator({
      options,
      stores,
      adminToken,
      servingKey,
      address,
      observer: settings.authenticationObserver,
      onError,
      nowMs: Date.now,
    }),
  );
  const authorization = gathered.attempt(() =>
    buildAuthorizer({ options, stores, observer: settings.authorizationObserver, onError }),
  );
  const authorizer = authorization?.authorizer ?? alwaysDeny;
  const admission = gathered.attempt(() =>
    buildAdmission({
      lookup: lookupIn(stores),
      stores,
      authorizer,
      options,
      applyJsonPatch,
      podSecurityObserver: admissionObserver,
      webhookObserver: admissionObserver,
      nowMs: Date.now,
      onError,
    }),
  );
  gathered.throwIfAny();
  const { authenticator, tokens, serviceAccounts, challenge } = authentication!;
  const chain = new AdmissionChain(
    [deviceAccessPlugin(lookupIn(stores), authorizer), ...admission!, roleEscalationPlugin(authorization!.escalation)],
    admissionObserver,
  );
  return { authenticator, challenge, tokens, serviceAccounts, authorizer, admission: chain };
}

import { admissionPlugins } from '../admission/plugins.ts';
import { lookupIn } from '../admission/object-lookup.ts';
import { roleEscalationPlugin } from '../admission/role-escalation/plugin.ts';
import { adminTokenAuthenticator } from '../authentication/admin-token/authenticator.ts';
import { bearerTokenAuthenticator } from '../authentication/bearer-token.ts';
import { buildAuthorizer } from '../authorization/build-authorizer.ts';
import type { OptionValues } from '../options/option.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import type { FrontDoor } from '../server/front-door.ts';

export interface FrontDoorSettings {
  readonly options: OptionValues;
  readonly adminToken: string;
  readonly onError: (error: unknown, where: string) => void;
}

/** What the options say of identity, authorization and admission. */
export function openFrontDoor(settings: FrontDoorSettings, stores: StoreAccess): FrontDoor {
  const { options, onError } = settings;
  const tokens = adminTokenAuthenticator(settings.adminToken);
  const { authorizer, escalation } = buildAuthorizer({ options, stores, onError, nowMs: Date.now });
  const admission = admissionPlugins({ lookup: lookupIn(stores), stores, authorizer, options, nowMs: Date.now, onError }, () => undefined);
  return { authenticator: bearerTokenAuthenticator(tokens), tokens, authorizer, admission: [...admission, roleEscalationPlugin(escalation)] };
}

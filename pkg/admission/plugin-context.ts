import type { JsonPatchApplier } from '../apimachinery/patch/json-patch-applier.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import type { ObjectLookup } from './object-lookup.ts';
import type { PluginSettings } from './plugin-settings.ts';
import type { PodSecurityObserver } from './pod-security/pod-security-observer.ts';
import type { WebhookObserver } from './webhook/webhook-observer.ts';

/** The parts from which plugins are made. Plugins take the parts they need and nothing else. */
export interface PluginContext {
  readonly lookup: ObjectLookup;
  /** For plugins that follow a resource (`cache.listen`) or write objects themselves. */
  readonly stores: StoreAccess;
  readonly authorizer: Authorizer;
  /** Of the plugins that run and have any. */
  readonly settings: Partial<PluginSettings>;
  readonly nowMs: () => number;
  readonly applyJsonPatch: JsonPatchApplier;
  readonly podSecurityObserver: PodSecurityObserver;
  readonly webhookObserver: WebhookObserver;
  /** Failures that belong to no request. */
  readonly onError: (error: unknown, where: string) => void;
}

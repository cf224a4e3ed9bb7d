import type { JsonPatchApplier } from '../apimachinery/patch/json-patch-applier.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { GateName } from '../options/feature-gates.ts';
import type { Component, OptionValues } from '../options/option.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import type { AdmissionPlugin } from './admission.ts';
import type { ObjectLookup } from './object-lookup.ts';
import type { PodSecurityObserver } from './pod-security/pod-security-observer.ts';
import type { WebhookObserver } from './webhook/webhook-observer.ts';

/** What a plugin may be made of. Plugins take the parts they need and nothing else. */
export interface PluginContext {
  readonly lookup: ObjectLookup;
  /** For plugins that follow a resource (`cache.listen`) or write objects of their own. */
  readonly stores: StoreAccess;
  readonly authorizer: Authorizer;
  /** The plugin's section of `--admission-control-config-file`, parsed; undefined when there is none. */
  readonly configuration: unknown;
  readonly options: OptionValues;
  readonly nowMs: () => number;
  readonly applyJsonPatch: JsonPatchApplier;
  readonly podSecurityObserver: PodSecurityObserver;
  readonly webhookObserver: WebhookObserver;
  /** Failures that no request can be told of. */
  readonly onError: (error: unknown, where: string) => void;
}

/** One plugin of the table. */
export interface PluginRow {
  /** As `--enable-admission-plugins` names it. */
  readonly name: string;
  /** Enabled unless `--disable-admission-plugins` names it. */
  readonly defaultOn: boolean;
  /** The component with which it is enabled in the same way although `defaultOn` says no. */
  readonly defaultOnWith?: Component;
  /** Feature without which it does not run, whatever the options for plugins say. */
  readonly gate?: GateName;
  /** Throws when its configuration is wrong: the server does not start then. */
  make(context: PluginContext): AdmissionPlugin;
}

import { namespaces } from '../../api/core/tokens.ts';
import type { AnyResource } from '../../api/resource-definition.ts';
import { groupOf, versionOf } from '../../api/scheme.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { internalError } from '../../apimachinery/errors/status-error.ts';
import type { ObjectIndex } from '../../authorization/follow-objects.ts';
import type { ValidatingWebhook } from '../../generated/types/admissionregistration-v1.ts';
import type { AdmissionRequest } from '../admission.ts';
import { isFor } from '../handles.ts';
import type { RequestSubject } from './rule.ts';
import { compileWebhook, type Webhook } from './webhook.ts';

/** A webhook whose rules match a request. */
export interface Match {
  readonly webhook: Webhook;
  /** The version in which the rule names the resource: that of the request, or an equivalent one. */
  readonly groupVersion: string;
  /** The webhook's position among all. */
  readonly place: number;
}

export type WebhookConfiguration = ApiObject & { webhooks?: ValidatingWebhook[] };

/**
 * The webhooks of all configurations of one kind, by name of the configuration. The rules' result for a kind of request
 * is cached until a configuration changes, so that a request which no webhook matches costs one lookup in a map. While
 * a configuration cannot be read, it is unknown what its webhooks would refuse: then every request is refused.
 */
export class WebhookIndex implements ObjectIndex<WebhookConfiguration> {
  private readonly byKey = new Map<string, readonly Webhook[]>();
  private readonly unread = new Set<string>();
  private readonly onError: (error: unknown) => void;
  private readonly onChange: (webhooks: readonly Webhook[]) => void;
  private ordered: readonly Webhook[] = [];
  private matches = new WeakMap<AnyResource, Map<string, readonly Match[]>>();

  /** `onChange` is called with all present webhooks. */
  constructor(onError: (error: unknown) => void, onChange: (webhooks: readonly Webhook[]) => void) {
    this.onError = onError;
    this.onChange = onChange;
  }

  clear(): void {
    this.byKey.clear();
    this.unread.clear();
    this.changed();
  }

  put(key: string, { metadata, webhooks = [] }: WebhookConfiguration): void {
    try {
      this.byKey.set(
        key,
        webhooks.map((webhook, place) => compileWebhook(metadata.name ?? '', place, webhook)),
      );
      this.unread.delete(key);
    } catch (error) {
      // Only objects stored before validation existed get here.
      this.onError(error);
      this.unread.add(key);
    }
    this.changed();
  }

  remove(key: string): void {
    this.byKey.delete(key);
    this.unread.delete(key);
    this.changed();
  }

  unreadable(key: string): void {
    this.unread.add(key);
  }

  /** The webhooks whose rules match the request, in their order. Throws 500 while a configuration cannot be read. */
  wanting(request: AdmissionRequest): readonly Match[] {
    for (const key of this.unread)
      throw internalError(`the webhook configuration ${goQuote(key.slice(key.lastIndexOf('/') + 1))} cannot be read`);
    if (this.ordered.length === 0) return NONE;
    const { definition, groupVersion, subresource, operation } = request;
    let known = this.matches.get(definition);
    if (known === undefined) this.matches.set(definition, (known = new Map()));
    const inNamespace = request.namespace !== '' && !isFor(request, namespaces);
    const key = `${operation} ${groupVersion} ${subresource} ${inNamespace}`;
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = this.find(request, inNamespace)));
    return found;
  }

  private find(
    { definition, groupVersion, subresource, operation }: AdmissionRequest,
    inNamespace: boolean,
  ): readonly Match[] {
    const subjectIn = (version: string): RequestSubject => {
      return {
        operation,
        group: groupOf(version),
        version: versionOf(version),
        resource: definition.resource,
        subresource,
        inNamespace,
      };
    };
    const others = equivalents(definition, groupVersion, subresource);
    return this.ordered.flatMap((webhook, place): Match[] => {
      if (webhook.rules.some((rule) => rule.matches(subjectIn(groupVersion))))
        return [{ webhook, groupVersion, place }];
      if (webhook.exact) return [];
      for (const rule of webhook.rules) {
        const other = others.find((version) => rule.matches(subjectIn(version)));
        if (other !== undefined) return [{ webhook, groupVersion: other, place }];
      }
      return [];
    });
  }

  private changed(): void {
    this.ordered = [...this.byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, webhooks]) => webhooks);
    this.matches = new WeakMap();
    this.onChange(this.ordered);
  }
}

const NONE: readonly Match[] = [];

/** The other versions, of any group, in which the same objects are served. */
function equivalents({ versions, subresources }: AnyResource, groupVersion: string, subresource: string): string[] {
  const having = subresources?.find(({ name }) => name === subresource)?.groupVersions;
  return versions
    .filter(
      (version) =>
        version.served !== false &&
        version.groupVersion !== groupVersion &&
        (having === undefined || having.includes(version.groupVersion)),
    )
    .map((version) => version.groupVersion);
}

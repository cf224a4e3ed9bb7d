import { fromHub, toHub, type Scheme, type VersionedResource } from '../../api/scheme.ts';
import { deepCopy, semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { parseJson, stringifyJson } from '../../apimachinery/json/json.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { JsonPatchApplier } from '../../apimachinery/patch/json-patch-applier.ts';
import { PatchError } from '../../apimachinery/patch/patch-error.ts';
import { setKey } from '../../apimachinery/json/own-keys.ts';
import { badRequest, internalError } from '../../apimachinery/errors/status-error.ts';
import { messageOfKind } from '../../codec/messages.ts';
import { normalize } from '../../codec/normalize.ts';
import { schemaOf } from '../../codec/schemas.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { WebhookPatch } from './verdict.ts';

/** A kind in one version, in the API's spelling. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * The objects of a request as webhooks see them: in the version of each webhook, as JSON that is made once. Bodies of
 * subresources and options of connections are documents of separate kinds, the same in every version of the resource.
 */
export class ReviewedObject {
  readonly request: AdmissionRequest;
  private readonly scheme: Scheme;
  private readonly applyJsonPatch: JsonPatchApplier;
  private readonly isDocument: boolean;
  private readonly texts = new Map<string, string>();
  private readonly oldTexts = new Map<string, string>();

  constructor(request: AdmissionRequest, scheme: Scheme, applyJsonPatch: JsonPatchApplier) {
    this.request = request;
    this.scheme = scheme;
    this.applyJsonPatch = applyJsonPatch;
    const { kind } = request.object ?? request.oldObject ?? {};
    this.isDocument = kind !== request.definition.kind;
  }

  kindIn(groupVersion: string): KindName {
    const document = this.request.object;
    const apiVersion = this.isDocument && document !== undefined ? (document.apiVersion ?? '') : groupVersion;
    const kind = this.isDocument && document !== undefined ? (document.kind ?? '') : this.in(groupVersion).kind;
    const slash = apiVersion.indexOf('/');
    return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
  }

  /** JSON of the new object; `null` where there is none. */
  text(groupVersion: string): string {
    return this.textOf(this.request.object, groupVersion, this.texts);
  }

  /** JSON of the old object; `null` where there is none. */
  oldText(groupVersion: string): string {
    return this.textOf(this.request.oldObject, groupVersion, this.oldTexts);
  }

  /**
   * Applies a webhook's patch in the version that it was shown, with the defaults of that version. True when the object
   * changed; it counts as changed even where defaults restore what the patch removed. Throws 500 for a patch that does
   * not apply or results in another kind, 400 for one that moves the object to another namespace, 429 or 504 where
   * there is no time for a large one.
   */
  async patch(patch: WebhookPatch, groupVersion: string): Promise<boolean> {
    const before: unknown = parseJson(this.text(groupVersion));
    const after = this.decoded(await this.applied(before, patch), before as ApiObject, groupVersion);
    const changed = !semanticDeepEqual(before, after);
    this.setDefaults(after, groupVersion);
    const hub = this.isDocument ? after : toHub(this.in(groupVersion), after);
    this.keepNamespace(hub);
    replaceContent(this.request.object!, hub);
    this.texts.clear();
    return changed;
  }

  private textOf(object: ApiObject | undefined, groupVersion: string, texts: Map<string, string>): string {
    if (object === undefined) return 'null';
    let text = texts.get(groupVersion);
    if (text === undefined)
      texts.set(
        groupVersion,
        (text = stringifyJson(this.isDocument ? object : fromHub(this.in(groupVersion), object))),
      );
    return text;
  }

  private decoded(patched: unknown, { kind, apiVersion }: ApiObject, groupVersion: string): ApiObject {
    const given = (patched ?? {}) as { kind?: unknown; apiVersion?: unknown };
    if ((given.kind || kind) !== kind || (given.apiVersion || apiVersion) !== apiVersion)
      throw internalError('the patch of a webhook changes the kind of the object');
    try {
      const schema = this.isDocument
        ? schemaOf(messageOfKind(apiVersion ?? '', kind ?? '')!.message)
        : this.in(groupVersion).schema;
      return { ...normalize<ApiObject>(patched, schema), kind, apiVersion };
    } catch (error) {
      throw internalError((error as Error).message);
    }
  }

  private setDefaults(object: ApiObject, groupVersion: string): void {
    if (this.isDocument) return;
    try {
      this.in(groupVersion).version.setDefaults?.(object);
    } catch (error) {
      throw internalError((error as Error).message);
    }
  }

  /**
   * A webhook must not move an object to where its creator may not put it. A patch that removes the namespace is
   * ignored.
   */
  private keepNamespace({ metadata }: ApiObject): void {
    if (this.isDocument) return;
    const { namespace = '' } = this.request.object!.metadata;
    if (metadata.namespace && namespace !== '' && metadata.namespace !== namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    if (namespace === '') delete metadata.namespace;
    else metadata.namespace = namespace;
  }

  private async applied(document: unknown, { operations, bytes }: WebhookPatch): Promise<unknown> {
    try {
      return await this.applyJsonPatch(document, operations, bytes);
    } catch (error) {
      throw error instanceof PatchError ? internalError(error) : error;
    }
  }

  private in(groupVersion: string): VersionedResource {
    return this.scheme.at(this.request.definition, groupVersion) ?? this.scheme.hub(this.request.definition);
  }
}

/** The object's identity belongs to the registry: only its content is replaced. */
function replaceContent(target: object, source: object): void {
  for (const key of Object.keys(target)) delete (target as Record<string, unknown>)[key];
  for (const [key, value] of Object.entries(deepCopy(source))) setKey(target, key, value);
}

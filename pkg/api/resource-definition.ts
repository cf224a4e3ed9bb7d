import type { Deprecation } from './deprecation.ts';
import type { FieldErrors } from '../apimachinery/errors/field-errors.ts';
import type { MessageSchema } from '../apimachinery/schema.ts';
import type { SchemaData } from '../codec/schema-data.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { type Resource, resourceToken } from './resource.ts';

/**
 * What a kind is, as data: one definition per resource, in one folder per group under `pkg/api/`. Handlers, discovery,
 * storage and the cacher read these; none of them knows a kind by name.
 *
 * Every object passes through the shape of its *hub* version: a request body is decoded in its own version, defaulted,
 * converted to the hub, where strategies, validation and table columns work, and converted on to the version that is
 * stored or answered.
 */

/** The user of a request. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the operator of a cluster lets its pods do. */
export interface ClusterPolicy {
  /** `--allow-privileged`: containers may run with all privileges of their node. */
  readonly allowPrivileged: boolean;
}

/** The fields of the request and of its server that strategies may read. */
export interface StrategyContext {
  /** Time of the request, RFC 3339 in whole seconds. */
  readonly now: string;
  readonly user: UserInfo;
  /** Group and version of the request's path, `apps/v1` or `v1`. */
  readonly requestVersion: string;
  readonly dryRun: boolean;
  readonly policy: ClusterPolicy;
}

/** One version in which the resource is served or stored. Functions get the JSON shape of that version. */
export interface KindVersion {
  /** `apps/v1`, or `v1` for the core group. */
  readonly groupVersion: string;
  /** Message in `proto/`, `apps/v1.Deployment`; a name of its own, `group/version.Kind`, where `schema` is given. */
  readonly message: string;
  /** Field table of a kind that is not in `proto/`: it has no protobuf form. */
  readonly schema?: MessageSchema;
  /** The source of `schema`, for documents that are built elsewhere; with the message of the list. */
  readonly schemaData?: SchemaData;
  /** Kind name in this version, where it differs from the definition's. */
  readonly kind?: string;
  /** False: readable from the store, but not served; `--runtime-config` decides before the registry is filled. */
  readonly served?: boolean;
  /** Fills in defaults in place; idempotent. Runs on every request body and on every stored object of this version. */
  // `any`: each version has its own interface; implementations declare it.
  setDefaults?(object: any): void;
  /** Converts to the hub's shape; may change and return its argument. Sets neither apiVersion nor kind. */
  toHub?(object: any): any;
  /** Converts from the hub's shape; must not change its argument's shared parts: gets a private copy. */
  fromHub?(object: any): any;
  /** Set where the version is deprecated: its requests are answered with a warning. */
  readonly deprecation?: Deprecation;
}

/**
 * The metadata checks that a kind's own update validation repeats after the generic ones: `update` compares with the
 * old object, `object` checks the new one alone. Clients see each error once per check.
 */
export type MetadataCheck = 'object' | 'update';

/**
 * How an update, of the object or of one of its subresources, treats the client's object. All functions see hub shapes.
 */
export interface UpdateStrategy<T extends ApiObject> {
  /** Undoes changes that this path may not make, in `object`, in place. Runs before validation. */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  /** Adds the errors of the change. Metadata has been checked already. */
  validateUpdate?(object: T, old: T, errors: FieldErrors, context: StrategyContext): void;
  /**
   * Default: `update` and `object` for the object itself, `update` for subresources. A function where it depends on the
   * request.
   */
  readonly metadataChecksOnUpdate?: readonly MetadataCheck[] | ((context: StrategyContext) => readonly MetadataCheck[]);
}

/** The replica counts that a `scale` subresource shows and sets. */
export interface ScaleAccess<T extends ApiObject> {
  /** `selector` is the label selector's text form; `targetSelector` the labels, where it is a plain map. */
  get(object: T): {
    specReplicas: number;
    statusReplicas: number;
    selector: string;
    matchLabels?: Record<string, string>;
  };
  set(object: T, replicas: number): void;
}

/** A path below an object. */
export interface SubresourceDefinition<T extends ApiObject> extends UpdateStrategy<T> {
  /** `status`, `scale`, `approval`, ... */
  readonly name: string;
  readonly verbs: readonly Verb[];
  /** Set for `scale`: the body is a Scale. */
  readonly scale?: ScaleAccess<T>;
  /** For bodies of another kind: group, version and kind, as discovery lists them. */
  readonly body?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Changes through it do not change the generation. */
  readonly keepsGeneration?: boolean;
  /** Versions of the parent that have it; default all. */
  readonly groupVersions?: readonly string[];
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date' | 'number';
  /** `name` marks the column that names the object. */
  readonly format?: string;
  readonly description: string;
  /** 0: always shown; 1: in wide output. */
  readonly priority?: number;
}

export interface TableCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** One printed row. `null` cells stay empty. */
export interface TableRow {
  readonly cells: readonly (string | number | boolean | null)[];
  readonly conditions?: readonly TableCondition[];
}

export interface TableDefinition<T extends ApiObject> {
  readonly columns: readonly TableColumn[];
  /** `nowMs` is the time for ages, milliseconds since the epoch. */
  row(object: T, nowMs: number): TableRow;
}

/** The default of a delete's propagation policy. */
export type GarbageCollectionDefault = 'orphan' | 'background' | 'unsupported';

export interface ResourceDefinition<T extends ApiObject> extends UpdateStrategy<T> {
  /** Group and resource under which errors and store metrics name it. */
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** Annotations that replace fields of older versions: not shown where metadata is shown alone. */
  readonly hiddenAnnotations?: readonly string[];
  /** Errors name the group of the request's path, for a kind that lives in two groups alike. */
  readonly errorsNamePathGroup?: boolean;
  /** Group that validation errors name, where clients know the kind from an older one. */
  readonly errorGroup?: string;
  /** Default: all eight. */
  readonly verbs?: readonly Verb[];
  /** The version whose shape the functions below see; one of `versions`. */
  readonly hub: string;
  readonly versions: readonly KindVersion[];
  /** Version in which objects are written to the store; one of `versions`. */
  readonly storageVersion: string;
  /** Path below the store's prefix, `services/specs`; empty for virtual resources. */
  readonly storagePath: string;
  /**
   * Never stored: a create is a request that a handler answers at once (reviews). Such an object has neither name nor
   * uid; of the functions below only conversions, defaults and `validate` run.
   */
  readonly virtual?: boolean;
  /** `json` where stock servers store the kind as JSON; default protobuf. */
  readonly storageEncoding?: 'json' | 'protobuf';
  readonly subresources?: readonly SubresourceDefinition<T>[];

  /** Errors of a name, from `names.ts`; `prefix` for generateName. */
  validateName(name: string, prefix: boolean): string[];
  /**
   * The part whose change increments `metadata.generation`; without it objects have no generation. Called on new and
   * old object.
   */
  generationOf?(object: T): unknown;
  /** In place, on a client's new object; status has been reset where there is a status subresource. */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /** A create may set the status, although it is a subresource. Default false: it starts empty. */
  readonly keepsStatusOnCreate?: boolean;
  /** Adds the errors of a new object. Metadata has been checked already. */
  validate?(object: T, errors: FieldErrors, context: StrategyContext): void;
  /** Canonical form after validation, in place (rarely needed). */
  canonicalize?(object: T): void;
  /** Texts for `Warning` headers on create and update. */
  warnings?(object: T, old: T | undefined): string[];
  /** PUT to a name that does not exist creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** An update without resourceVersion overwrites. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Seconds between the request to delete and removal, given the requested ones; undefined: no graceful deletion. */
  gracePeriodSeconds?(object: T, asked?: number): number | undefined;
  /**
   * The effect of a delete on the object, where finalizers and grace period do not decide: `keep` leaves it unchanged,
   * `mark` stores the object as this function has changed it, in place.
   */
  beginDelete?(object: T, context: StrategyContext): 'keep' | 'mark' | 'remove';
  /**
   * An object that is being deleted stays although its metadata has no finalizers. Default: while it has a grace
   * period.
   */
  isHeld?(object: T): boolean;
  /** Why the object of this name may not be deleted directly; undefined where it may. */
  refuseDelete?(name: string): string | undefined;
  /** A delete answers with the object instead of a Status. */
  readonly returnDeletedObject?: boolean;
  /** `requestVersion` is the version of the request's path. Default `background`. */
  garbageCollectionDefault?(requestVersion: string): GarbageCollectionDefault;
  /** Text of a `Warning` header on deletes that use the default for dependents. */
  readonly defaultCascadeWarning?: string;
  /** Field labels for `fieldSelector` besides metadata.name and metadata.namespace, each with its value. */
  readonly fieldLabels?: Readonly<Record<string, (object: T) => string>>;
  /** Lifetime in the store, for Events. */
  readonly expires?: boolean;
  readonly table?: TableDefinition<T>;
}

// `any`: a list of definitions mixes kinds; each definition is checked against its own interface where it is written.
export type AnyResource = ResourceDefinition<any>;

/** A definition with its kind's interface, for its token alone. */
export type TypedResource<T extends ApiObject> = AnyResource & Pick<Resource<T>, 'objectType'>;

/** Checks a definition against its kind's interface. */
export function defineResource<T extends ApiObject>(definition: ResourceDefinition<T>): TypedResource<T> {
  return definition;
}

/** The token by which programs name the resource: in its hub version, whose shape `T` is. */
export function tokenOf<T extends ApiObject>({ hub, resource, kind, namespaced }: TypedResource<T>): Resource<T> {
  return resourceToken<T>(hub, resource, kind, namespaced);
}

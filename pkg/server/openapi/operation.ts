import type { GroupVersionKind } from './json-schema.ts';

/** Paths and operations as both versions of OpenAPI render them. Types are named by their messages in `proto/`. */

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'boolean' | 'integer' | 'string';
  readonly description?: string;
  readonly required?: boolean;
}

/** A message, or plain text. */
export type BodyType = { readonly message: string } | 'text';

export interface Operation {
  readonly method: 'delete' | 'get' | 'head' | 'options' | 'patch' | 'post' | 'put';
  /** Unique over all paths. */
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly message: string; readonly required: boolean };
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Codes of success, all with the same body. */
  readonly codes: readonly number[];
  readonly result: BodyType;
}

export interface PathItem {
  readonly path: string;
  /** Those of every operation. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

/** Words for the codes of success. */
export const successTexts: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

export const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';

/** What operations on a resource take and give. */
export interface MediaTypes {
  readonly objects: readonly string[];
  readonly lists: readonly string[];
  readonly patches: readonly string[];
}

export const mediaTypes: MediaTypes = {
  objects: [json, yaml, protobuf],
  lists: [json, yaml, protobuf, `${json};stream=watch`, `${protobuf};stream=watch`],
  patches: [jsonPatch, mergePatch, 'application/strategic-merge-patch+json'],
};

/** Of kinds whose schema is data: they have no protobuf form, and their lists are replaced by patches. */
export const dataMediaTypes: MediaTypes = {
  objects: [json, yaml],
  lists: [json, yaml, `${json};stream=watch`],
  patches: [jsonPatch, mergePatch],
};

export const anyType = ['*/*'] as const;

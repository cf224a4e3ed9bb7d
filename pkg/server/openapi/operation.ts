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

export const objectTypes = [json, yaml, protobuf] as const;
export const listTypes = [...objectTypes, `${json};stream=watch`, `${protobuf};stream=watch`] as const;
export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const;
export const anyType = ['*/*'] as const;

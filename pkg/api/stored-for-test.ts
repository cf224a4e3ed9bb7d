import assert from 'node:assert/strict';
import { create, type RequestOverrides } from './kind-testing.ts';
import type { AnyResource } from './resource-definition.ts';

/** A hub object as a store would return it after a create request. For tests of kinds only. */
// `any`: tests look at any kind's fields.
export function stored(
  definition: AnyResource,
  groupVersion: string,
  body: unknown,
  overrides: RequestOverrides = {},
): any {
  const { object, texts } = create(definition, groupVersion, body, overrides);
  assert.deepEqual(texts, []);
  object.metadata.resourceVersion = '1';
  return object;
}

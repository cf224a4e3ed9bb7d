import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';
import type { SchemaRequirements } from './openapi-validation.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_MAP_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';
const SET_ITEM_ATOMIC = 'must be atomic as item of a list with x-kubernetes-list-type=set';

/** Checks how lists and maps say they are merged. */
export function validateListAndMapTypes(
  schema: JSONSchemaProps,
  requirements: SchemaRequirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const mapType = schema[MAP_TYPE];
  const listType = schema[LIST_TYPE];
  if (mapType !== undefined) {
    requireType(schema, 'object', MAP_TYPE, path, errors);
    if (mapType !== 'atomic' && mapType !== 'granular')
      errors.notSupported(path.child(MAP_TYPE), mapType, ['atomic', 'granular']);
  }
  if (listType !== undefined) {
    const isArray = requireType(schema, 'array', LIST_TYPE, path, errors);
    if (isArray && listType === 'set' && requirements.atomicSetItems)
      validateSetItems(schema, path.child('items'), errors);
    if (!['atomic', 'set', 'map'].includes(listType))
      errors.notSupported(path.child(LIST_TYPE), listType, ['atomic', 'set', 'map']);
  }
  if (schema[LIST_MAP_KEYS]?.length) {
    const words = 'must be map if x-kubernetes-list-map-keys is non-empty';
    if (listType === undefined) errors.required(path.child(LIST_TYPE), words);
    else if (listType !== 'map') errors.invalid(path.child(LIST_TYPE), listType, words);
  }
  if (listType === 'map') validateMapList(schema, path, errors);
  if (requirements.mapKeysAlwaysSet) validateKeysAlwaysSet(schema, path, errors);
}

function requireType(
  schema: JSONSchemaProps,
  type: string,
  because: string,
  path: FieldPath,
  errors: FieldErrors,
): boolean {
  if (schema.type === type) return true;
  const words = `must be ${type} if ${because} is specified`;
  if (!schema.type) errors.required(path.child('type'), words);
  else errors.invalid(path.child('type'), schema.type, words);
  return false;
}

/** Items of a set are compared as a whole, so they are also changed as a whole. */
function validateSetItems(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  const items = schema.items;
  if (items === undefined || Array.isArray(items)) return;
  const listType = items[LIST_TYPE];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    errors.invalid(path.child(LIST_TYPE), listType, SET_ITEM_ATOMIC);
  if (items.type === 'object' && items[MAP_TYPE] !== 'atomic')
    errors.invalid(path.child(MAP_TYPE), listType ?? null, SET_ITEM_ATOMIC);
}

/** Items of a map are objects, identified by scalar fields. */
function validateMapList(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  const keys = schema[LIST_MAP_KEYS] ?? [];
  if (keys.length === 0)
    errors.required(path.child(LIST_MAP_KEYS), 'must not be empty if x-kubernetes-list-type is map');
  const { items } = schema;
  if (items === undefined)
    return errors.required(path.child('items'), 'must have a schema if x-kubernetes-list-type is map');
  if (Array.isArray(items))
    return errors.invalid(path.child('items'), '', 'must only have a single schema if x-kubernetes-list-type is map');
  if (items.type !== 'object') {
    return errors.invalid(
      path.child('items', 'type'),
      items.type ?? '',
      "must be object if parent array's x-kubernetes-list-type is map",
    );
  }
  const seen = new Set<string>();
  // Each bad key is an error that quotes all of them: printed once, not for each.
  const quoted = goStringSlice(keys);
  for (const key of keys) {
    const property = getKey<JSONSchemaProps>(items.properties, key);
    if (property === undefined)
      errors.invalid(path.child(LIST_MAP_KEYS), quoted, 'entries must all be names of item properties');
    else if (property.type === 'array' || property.type === 'object') {
      errors.invalid(
        path.child('items', 'properties').key(key).child('type'),
        items.type,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      );
    }
    if (seen.has(key)) errors.invalid(path.child(LIST_MAP_KEYS), quoted, 'must not contain duplicate entries');
    seen.add(key);
  }
}

/** Without all of its keys an item has no place in the list. */
function validateKeysAlwaysSet(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  const { items } = schema;
  const listType = schema[LIST_TYPE];
  if (items === undefined || Array.isArray(items) || (listType !== 'set' && listType !== 'map')) return;
  if (items.nullable)
    errors.forbidden(path.child('items', 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`);
  if (listType === 'set') return;
  const required = new Set(items.required);
  for (const key of schema[LIST_MAP_KEYS] ?? []) {
    const property = getKey<JSONSchemaProps>(items.properties, key);
    if (property === undefined) continue;
    const at = path.child('items', 'properties').key(key);
    if (!required.has(key) && property.default === undefined) {
      errors.required(
        at.child('default'),
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      );
    }
    if (property.nullable)
      errors.forbidden(
        at.child('nullable'),
        'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
      );
  }
}

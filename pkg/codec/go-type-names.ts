import { stringifyJson } from '../apimachinery/json/json.ts';

/** Decoding errors show clients the names of Go types; these functions give them for our types. */

/** `apps/v1.DeploymentSpec` is `v1.DeploymentSpec`; scalars have their names in Go. */
export function goTypeName(name: string): string {
  switch (name) {
    case 'bytes':
      return 'uint8';
    case 'double':
      return 'float64';
    case 'raw':
      return 'runtime.RawExtension';
    default:
      return name.includes('/') ? name.slice(name.indexOf('/') + 1) : name;
  }
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return `number ${value}`;
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2147483648 ? 'number' : `number ${stringifyJson(value)}`;
  return typeof value;
}

/**
 * Go's message for a JSON value of the wrong type: `struct` is where the field is declared, `path` its names from the
 * root.
 */
export function unmarshalError(value: unknown, struct: string | undefined, path: string, type: string): string {
  if (struct === undefined || path === '')
    return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`;
  const name = struct.slice(struct.lastIndexOf('.') + 1);
  return `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${name}.${path} of type ${type}`;
}

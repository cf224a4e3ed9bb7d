/**
 * JSON patch (RFC 6902) with the exceptions that API servers grant: negative indexes count from the end, `replace` may
 * add a member to an object, and testing an absent member against null succeeds.
 */
import { deepCopy, deepEqual, nestsDeeper } from '../json/deep.ts';
import { goQuote, goTypeName } from '../values/go-format.ts';
import { JSON_DEPTH_MAX, stringifyJson } from '../json/json.ts';
import { setKey } from '../json/own-keys.ts';
import { PatchError } from './patch-error.ts';

export const OPERATIONS_MAX = 10_000;
/** Bound of the JSON that all `copy` operations of one patch add to the document. */
const COPY_BYTES_MAX = 3 * 1024 * 1024;

/** One checked operation; absent members are empty. */
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: unknown;
  readonly hasPath: boolean;
  readonly hasFrom: boolean;
}

type Container = unknown[] | Record<string, unknown>;

const KNOWN_MEMBERS = new Set(['op', 'path', 'from', 'value']);

/** Members that no operation has, in the words of strict field validation: `unknown field "[0].paht"`. */
export function jsonPatchStrictErrors(operations: unknown): string[] {
  if (!Array.isArray(operations)) return [];
  const errors: string[] = [];
  for (const [i, operation] of operations.entries()) {
    for (const key of Object.keys((operation as object | null) ?? {})) {
      if (!KNOWN_MEMBERS.has(key)) errors.push(`unknown field ${goQuote(`[${i}].${key}`)}`);
    }
  }
  return errors;
}

/**
 * The document after all operations. Inputs are not changed; untouched parts are shared with them. Throws PatchError,
 * and then nothing was applied.
 */
export function applyJsonPatch(doc: unknown, operations: unknown): unknown {
  const checked = checkOperations(operations);
  const patcher = new JsonPatcher(doc);
  for (const operation of checked) patcher.apply(operation);
  if (checked.some(({ op }) => op === 'move' || op === 'copy')) checkDepth(patcher.root);
  return patcher.root;
}

const LIST_TYPE = '[]handlers.jsonPatchOp';

function checkOperations(operations: unknown): Operation[] {
  if (operations === null) return [];
  if (!Array.isArray(operations))
    throw malformed(`cannot unmarshal ${jsonTypeName(operations)} into Go value of type ${LIST_TYPE}`);
  if (operations.length > OPERATIONS_MAX) {
    throw new PatchError(
      'tooLarge',
      `The allowed maximum operations in a JSON patch is ${OPERATIONS_MAX}, got ${operations.length}`,
    );
  }
  return operations.map(checkOperation);
}

function checkOperation(operation: unknown): Operation {
  if (operation !== null && (typeof operation !== 'object' || Array.isArray(operation))) {
    throw malformed(`cannot unmarshal ${jsonTypeName(operation)} into Go value of type handlers.jsonPatchOp`);
  }
  const source = (operation ?? {}) as Record<string, unknown>;
  const text = (name: string): string => {
    const value = Object.hasOwn(source, name) ? source[name] : '';
    if (value === null) return '';
    if (typeof value !== 'string')
      throw malformed(
        `cannot unmarshal ${jsonTypeName(value)} into Go struct field jsonPatchOp.${name} of type string`,
      );
    return value;
  };
  const has = (name: string): boolean => Object.hasOwn(source, name) && source[name] !== null;
  return {
    op: text('op'),
    path: text('path'),
    from: text('from'),
    value: Object.hasOwn(source, 'value') ? source['value'] : null,
    hasPath: has('path'),
    hasFrom: has('from'),
  };
}

function malformed(problem: string): PatchError {
  return new PatchError('malformed', `error decoding patch: json: ${problem}`);
}

function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object'
    ? 'object'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'string'
        ? 'string'
        : 'number';
}

/** Operations can nest deep values into deep values, again and again. `levels` is how deep the value is already. */
function checkDepth(value: unknown, levels = 0): void {
  if (isContainer(value) && nestsDeeper(value, JSON_DEPTH_MAX - levels)) throw rejected('exceeded max depth');
}

function rejected(message: string): PatchError {
  return new PatchError('rejected', message);
}

/** Where a pointer ends: the object or array, and the member in it. */
interface Place {
  readonly holder: Container;
  readonly key: string;
}

class JsonPatcher {
  root: unknown;
  /**
   * Objects and arrays that were made here. All others belong to the document or the patch, and are copied before they
   * are changed.
   */
  private readonly own = new WeakSet<Container>();
  private copiedBytes = 0;

  constructor(root: unknown) {
    this.root = root;
  }

  apply(operation: Operation): void {
    const { op, path, from, value } = operation;
    if (['add', 'remove', 'replace', 'test', 'move', 'copy'].includes(op) && !operation.hasPath) {
      throw rejected(`${op} operation has no path`);
    }
    if ((op === 'move' || op === 'copy') && !operation.hasFrom) throw rejected(`${op} operation has no from`);
    switch (op) {
      case 'add':
        return this.add(path, this.given(path, value));
      case 'remove':
        return this.remove(path);
      case 'replace':
        return this.replace(path, this.given(path, value));
      case 'test':
        return this.test(path, value);
      case 'move':
        return this.move(from, path);
      case 'copy':
        return this.copy(from, path);
      default:
        throw rejected(`Unexpected kind: ${op === '' ? 'unknown' : op}`);
    }
  }

  private given(path: string, value: unknown): unknown {
    checkDepth(value, path.split('/').length - 1);
    return value;
  }

  private add(path: string, value: unknown): void {
    if (path === '') {
      this.root = value;
      return;
    }
    const { holder, key } = this.place(path, 'add');
    if (!Array.isArray(holder)) setKey(holder, key, value);
    else holder.splice(key === '-' ? holder.length : indexIn(key, holder.length + 1, path), 0, value);
  }

  private remove(path: string): void {
    const { holder, key } = this.place(path, 'remove');
    if (Array.isArray(holder)) {
      holder.splice(indexIn(key, holder.length, path), 1);
    } else {
      if (!Object.hasOwn(holder, key)) throw rejected(`error in remove for path: '${path}': nothing is there`);
      delete holder[key];
    }
  }

  private replace(path: string, value: unknown): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null)
        throw rejected('replace operation value must be object or array');
      this.root = value;
      return;
    }
    const { holder, key } = this.place(path, 'replace');
    setMember({ holder, key }, value, path);
  }

  private test(path: string, value: unknown): void {
    const found = path === '' ? this.root : memberOf(this.locate(path, 'test'), path);
    if (!deepEqual(found ?? null, value ?? null)) throw rejected(`testing value ${path} failed: test failed`);
  }

  private move(from: string, path: string): void {
    const value = memberOf(this.locate(from, 'move'), from);
    this.remove(from);
    this.add(path, value ?? null);
  }

  private copy(from: string, path: string): void {
    const value = from === '' ? this.root : memberOf(this.locate(from, 'copy'), from);
    checkDepth(value);
    this.copiedBytes += Buffer.byteLength(stringifyJson(value ?? null));
    if (this.copiedBytes > COPY_BYTES_MAX) {
      throw rejected(
        `the accumulated size increase of copy is ${this.copiedBytes}, exceeding the limit ${COPY_BYTES_MAX}`,
      );
    }
    this.add(path, deepCopy(value ?? null));
  }

  /** As `locate`, for a change. */
  private place(pointer: string, op: string): Place {
    const { holder, key } = this.locate(pointer, op);
    if (this.own.has(holder)) return { holder, key };
    let node = (this.root = this.owned(this.root as Container));
    for (const segment of pointer.split('/').slice(1, -1)) {
      const place = { holder: node, key: unescape(segment) };
      node = this.owned(memberOf(place, pointer) as Container);
      setMember(place, node, pointer);
    }
    return { holder: node, key };
  }

  private owned(container: Container): Container {
    if (this.own.has(container)) return container;
    const copy = Array.isArray(container) ? [...(container as unknown[])] : { ...container };
    this.own.add(copy);
    return copy;
  }

  private locate(pointer: string, op: string): Place {
    const segments = pointer.split('/');
    const key = segments.pop() ?? '';
    let node = this.root;
    if (segments.length === 0)
      throw rejected(`${op} operation does not apply: doc is missing path: ${goQuote(pointer)}`);
    for (const segment of segments.slice(1))
      node = isContainer(node) ? memberOf({ holder: node, key: unescape(segment) }, pointer) : undefined;
    if (!isContainer(node)) {
      throw rejected(
        `${op} operation does not apply: doc is missing path: ${goQuote(pointer)} (${goTypeName(node)} on the way)`,
      );
    }
    return { holder: node, key: unescape(key) };
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function memberOf({ holder, key }: Place, pointer: string): unknown {
  if (Array.isArray(holder)) return holder[indexIn(key, holder.length, pointer)];
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function setMember({ holder, key }: Place, value: unknown, pointer: string): void {
  if (Array.isArray(holder)) holder[indexIn(key, holder.length, pointer)] = value;
  else setKey(holder, key, value);
}

/** RFC 6901: `~1` is a slash, `~0` a tilde. */
function unescape(segment: string): string {
  return segment.includes('~') ? segment.replaceAll('~1', '/').replaceAll('~0', '~') : segment;
}

/** The index that a segment names in a list of `length` places. */
function indexIn(key: string, length: number, pointer: string): number {
  if (!/^[+-]?\d{1,15}$/.test(key))
    throw rejected(`value was not a proper array index: '${key}' in path: '${pointer}'`);
  const index = Number(key);
  if (index >= length || index < -length)
    throw rejected(`Unable to access invalid index: ${index}: invalid index referenced`);
  return index < 0 ? index + length : index;
}

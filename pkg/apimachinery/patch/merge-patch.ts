/** JSON merge patch, RFC 7386. */
import { deepCopy } from '../deep.ts';
import { setKey } from '../own-keys.ts';

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The document after the patch; inputs are not changed, and the result shares nothing with them. */
export function applyMergePatch(doc: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return deepCopy(patch);
  const result: JsonObject = isObject(doc) ? deepCopy(doc) : {};
  // Own stack instead of recursion: documents may be deep.
  const work: [JsonObject, JsonObject][] = [[result, patch]];
  for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
    const [target, changes] = pair;
    for (const key of Object.keys(changes)) {
      const change = changes[key];
      if (change === null) {
        delete target[key];
      } else if (isObject(change)) {
        const existing = Object.hasOwn(target, key) ? target[key] : undefined;
        const child = isObject(existing) ? existing : {};
        if (child !== existing) setKey(target, key, child);
        work.push([child, change]);
      } else {
        setKey(target, key, deepCopy(change));
      }
    }
  }
  return result;
}

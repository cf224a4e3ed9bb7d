/** JSON merge patch, RFC 7386. */
import { deepCopy } from '../json/deep.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { setKey } from '../json/own-keys.ts';

/** The document after the patch. Inputs are not changed; untouched parts are shared with the document. */
export function applyMergePatch(doc: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return deepCopy(patch);
  const result: JsonObject = isJsonObject(doc) ? { ...doc } : {};
  // Loops instead of recursion: documents may be deep.
  const work: [JsonObject, JsonObject][] = [[result, patch]];
  for (let pair = work.pop(); pair !== undefined; pair = work.pop()) {
    const [target, changes] = pair;
    for (const key of Object.keys(changes)) {
      const change = changes[key];
      if (change === null) {
        delete target[key];
      } else if (isJsonObject(change)) {
        const existing = Object.hasOwn(target, key) ? target[key] : undefined;
        const child = isJsonObject(existing) ? { ...existing } : {};
        setKey(target, key, child);
        work.push([child, change]);
      } else {
        setKey(target, key, deepCopy(change));
      }
    }
  }
  return result;
}

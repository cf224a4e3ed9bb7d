import { escapeMarkup } from '../../../apimachinery/json/escape-markup.ts';
import { parseJson } from '../../../apimachinery/json/json.ts';
import type { ObjectMeta } from '../../../apimachinery/meta/object.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { DecodeError, normalize } from '../../../codec/normalize.ts';
import { schemaOf } from '../../../codec/schemas.ts';

/**
 * Annotations for the fields that older versions of autoscalers lack. No version shows those that it has fields for.
 */
export const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';
export const CURRENT_METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/current-metrics';
export const CONDITIONS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/conditions';
export const BEHAVIOR_ANNOTATION = 'autoscaling.alpha.kubernetes.io/behavior';

const ALL = [METRICS_ANNOTATION, CURRENT_METRICS_ANNOTATION, CONDITIONS_ANNOTATION, BEHAVIOR_ANNOTATION];

/** Removes all of them; an empty map is removed too. */
export function dropRoundtripAnnotations(meta: ObjectMeta): void {
  if (meta.annotations === undefined) return;
  const kept = { ...meta.annotations };
  for (const key of ALL) delete kept[key];
  if (Object.keys(kept).length > 0) meta.annotations = kept;
  else delete meta.annotations;
}

/** Reads an annotation's JSON list of messages. Invalid JSON counts as absent: an old client may have broken it. */
export function readMessages<T>(meta: ObjectMeta, key: string, message: string): T[] {
  const value = readJson(meta, key);
  if (!Array.isArray(value)) return [];
  try {
    return value.map((item) => normalize<T>(item, schemaOf(message)));
  } catch (e) {
    if (e instanceof DecodeError) return [];
    throw e;
  }
}

export function readJson(meta: ObjectMeta, key: string): unknown {
  const text = getKey<string>(meta.annotations, key);
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    // Clients may write anything into an annotation: malformed JSON has no fields.
    return undefined;
  }
}

/** Writes messages with their fields in the order of declaration. */
export function writeMessages(meta: ObjectMeta, key: string, items: readonly unknown[], message: string): void {
  if (items.length > 0)
    writeJson(
      meta,
      key,
      items.map((item) => normalize(item, schemaOf(message))),
    );
}

export function writeJson(meta: ObjectMeta, key: string, value: unknown): void {
  meta.annotations = { ...meta.annotations, [key]: escapeMarkup(JSON.stringify(value)) };
}

import { isQualifiedName } from '../apimachinery/names/names.ts';
import type { AdmissionNotes } from './admission.ts';

/**
 * Adds a backend's annotations to the audit event below `prefix`. Keys that are no qualified names then are left out:
 * programs read events.
 */
export function passOnAnnotations(
  notes: AdmissionNotes,
  prefix: string,
  annotations: Readonly<Record<string, string>> = {},
): void {
  for (const [name, value] of Object.entries(annotations)) {
    const key = `${prefix}/${name}`;
    if (isQualifiedName(key).length === 0) notes.annotate(key, value);
  }
}

import { isQualifiedName } from '../apimachinery/names/names.ts';
import type { AdmissionNotes } from './admission.ts';

/**
 * Puts what a backend wants in the audit event below `prefix`. Keys that are no qualified names then are left out:
 * events are read by programs.
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

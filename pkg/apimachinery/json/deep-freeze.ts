/**
 * Freezes a JSON value with everything in it, so that a change throws. A frozen value is assumed to be frozen deeply.
 */
export function deepFreeze<T>(value: T): T {
  const work: unknown[] = [value];
  while (work.length > 0) {
    const each = work.pop();
    // Bytes cannot be frozen.
    if (typeof each !== 'object' || each === null || Object.isFrozen(each) || ArrayBuffer.isView(each)) continue;
    Object.freeze(each);
    for (const child of Object.values(each)) work.push(child);
  }
  return value;
}

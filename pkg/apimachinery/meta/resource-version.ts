/** Whether a resourceVersion is not before another. Both are whole numbers without leading zeros (KEP-5504). */
export function isAtLeast(resourceVersion: string, other: string): boolean {
  if (resourceVersion.length !== other.length) return resourceVersion.length > other.length;
  return resourceVersion >= other;
}

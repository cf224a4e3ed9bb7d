/** Whether a revision is not before another. Both are whole numbers without leading zeros (KEP-5504). */
export function isAtLeast(revision: string, other: string): boolean {
  return revision.length === other.length ? revision >= other : revision.length > other.length;
}

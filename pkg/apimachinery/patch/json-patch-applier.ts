/**
 * Applies the operations of a JSON patch of `size` bytes, on a thread and within bounded time where it is large. The
 * document is not changed. Throws `PatchError`, and StatusError where there is no time for it.
 */
export type JsonPatchApplier = (document: unknown, operations: readonly unknown[], bytes: number) => Promise<unknown>;

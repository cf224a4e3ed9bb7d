/**
 * Gives each attempt of a write a separate body, which the attempt may change: the first one the body as it was
 * decoded, without a copy. Further ones are rare, and have it decoded again.
 */
export function bodyPerAttempt<T>(decoded: T, decodeAgain: () => T): () => T {
  let next: T | undefined = decoded;
  return () => {
    const body = next ?? decodeAgain();
    next = undefined;
    return body;
  };
}

import { PieceMemory } from './piece-memory.ts';

/**
 * What JSON writes as it is: nearly every text of an event, which this finds out in a fraction of the time of writing
 * it.
 */
const plain = /^[ !#-[\]-~]*$/;
// Process-wide: how a text is quoted depends on nothing else.
const remembered = new PieceMemory(quoted);

/** A text of one request alone as JSON. */
export function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * A text that many events have as JSON. It is remembered: with its quotes in one piece it takes a third of the time.
 */
export function quotedAgain(text: string): string {
  return remembered.get(text);
}

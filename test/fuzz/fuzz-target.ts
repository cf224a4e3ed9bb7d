import assert from 'node:assert/strict';
import { mutate, Random } from './mutate.ts';

/** A decoder or parser of what comes from outside. */
export interface FuzzTarget {
  readonly name: string;
  /** Good input, to start from: it must be read. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Reads the input; returns or throws as it does for clients, or gives a promise that does. */
  run(input: Buffer): unknown;
  /** Errors of the classes of programming mistakes that this target's callers expect and handle. */
  handles?(error: Error): boolean;
}

/**
 * Runs a target on `count` changed inputs. Each must be read or refused: a TypeError, a RangeError (stack, lengths) or
 * a ReferenceError is a mistake of ours, and nothing may reach the prototypes that all objects share. A failure tells
 * seed and input.
 */
export async function fuzz(target: FuzzTarget, count: number, seed: number): Promise<void> {
  const random = new Random(seed);
  const seeds = target.seeds.map((s) => Buffer.from(s));
  const clean = sharedNames();
  for (const input of seeds) await target.run(input);
  for (let i = 0; i < count; i++) {
    const input = mutate(random.pick(seeds), random.pick(seeds), random);
    await attempt(target, input, `input ${i} of FUZZ_SEED=${seed}`);
  }
  assert.deepEqual(sharedNames(), clean, `${target.name} changed a shared prototype`);
}

async function attempt(target: FuzzTarget, input: Buffer, which: string): Promise<void> {
  try {
    const result = target.run(input);
    if (result instanceof Promise) await result;
  } catch (error) {
    if (!(error instanceof Error)) throw new Error(`${target.name}, ${which}: threw ${String(error)}`);
    const isMistake =
      error instanceof TypeError ||
      error instanceof RangeError ||
      error instanceof ReferenceError ||
      error.name === 'AssertionError';
    if (!isMistake || target.handles?.(error) === true) return;
    throw new Error(
      `${target.name}, ${which}: ${error.stack}\ninput (base64): ${input.toString('base64').slice(0, 8000)}`,
    );
  }
}

function sharedNames(): string[] {
  return [Object.prototype, Array.prototype, Function.prototype, String.prototype].flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype),
  );
}

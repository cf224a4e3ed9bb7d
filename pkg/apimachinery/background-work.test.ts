import assert from 'node:assert/strict';
import { BackgroundWork } from './background-work.ts';
import { turnsDuring } from './turns-testing.ts';

describe('BackgroundWork', () => {
  let nowMs: number;
  let work: BackgroundWork;
  beforeEach(() => {
    nowMs = 0;
    work = new BackgroundWork(() => nowMs);
  });

  /** Begins one piece after the other; each holds the loop for so long and then waits for something. */
  async function runPieces(count: number, pieceMs: number): Promise<readonly number[]> {
    const begun: number[] = [];
    const run = async (piece: number): Promise<void> => {
      const turn = work.begin();
      if (turn !== undefined) await turn;
      begun.push(piece);
      nowMs += pieceMs;
      await undefined;
    };
    await Promise.all(Array.from({ length: count }, (_, piece) => run(piece)));
    return begun;
  }

  it('begins at once where the turn has time left', () => {
    assert.equal(work.begin(), undefined);
    nowMs += 0.4;
    assert.equal(work.begin(), undefined);
    nowMs += 0.1;
    assert.ok(work.begin());
  });

  it('begins in later turns what does not fit, first come, first served', async () => {
    let begun: readonly number[] = [];
    // Each piece takes longer than the time of a turn.
    const turns = await turnsDuring(async () => (begun = await runPieces(20, 1)));
    assert.deepEqual(
      begun,
      Array.from({ length: 20 }, (_, piece) => piece),
    );
    assert.ok(turns >= 18, `${turns} turns`);
  });

  it('begins many short pieces in one turn', async () => {
    assert.equal(work.begin(), undefined);
    nowMs += 1;
    // A quarter of the time of a turn.
    const turns = await turnsDuring(() => runPieces(100, 0.125));
    assert.ok(turns >= 25 && turns < 35, `${turns} turns`);
  });

  it('begins at once again when nothing waits any more', async () => {
    await runPieces(5, 1);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.equal(work.begin(), undefined);
  });
});

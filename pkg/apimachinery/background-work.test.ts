import assert from 'node:assert/strict';
import { BackgroundWork } from './background-work.ts';
import { turnsDuring } from './turns-testing.ts';

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** Begins one piece after the other; each holds the loop for a while and then waits for something. */
async function runPieces(work: BackgroundWork, count: number, onPiece: (piece: number) => void): Promise<void> {
  const run = async (piece: number): Promise<void> => {
    const turn = work.begin();
    if (turn !== undefined) await turn;
    onPiece(piece);
    spin(1);
    await undefined;
  };
  await Promise.all(Array.from({ length: count }, (_, piece) => run(piece)));
}

describe('BackgroundWork', () => {
  it('begins at once where the turn has time left', () => {
    const work = new BackgroundWork();
    assert.equal(work.begin(), undefined);
    assert.equal(work.begin(), undefined);
  });

  it('begins in later turns what does not fit, first come, first served', async () => {
    const order: number[] = [];
    const turns = await turnsDuring(() => runPieces(new BackgroundWork(), 20, (piece) => order.push(piece)));
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, piece) => piece),
    );
    // Each piece takes longer than the time of a turn.
    assert.ok(turns >= 18, `${turns} turns`);
  });

  it('begins many short pieces in one turn', async () => {
    const work = new BackgroundWork();
    assert.equal(work.begin(), undefined);
    spin(2);
    let begun = 0;
    const pieces = Array.from({ length: 100 }, () => work.begin()?.then(() => begun++));
    assert.ok(pieces.every((piece) => piece !== undefined));
    const seen: number[] = [];
    while (begun < 100) {
      await new Promise(setImmediate);
      seen.push(begun);
    }
    assert.ok(seen.length < 50, `${seen.length} turns`);
  });

  it('begins at once again when nothing waits any more', async () => {
    const work = new BackgroundWork();
    await runPieces(work, 5, () => undefined);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.equal(work.begin(), undefined);
  });
});

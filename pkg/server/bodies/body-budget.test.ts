import assert from 'node:assert/strict';
import { BodyBudget, BodyShare, PendingShare, type BodyHolder } from './body-budget.ts';

describe('BodyBudget', () => {
  // Each on a separate connection, and known to have something already.
  const [a, b, c] = ['a', 'b', 'c'].map((user) => ({ user, connection: {} })) as [BodyHolder, BodyHolder, BodyHolder];
  const d: BodyHolder = { user: 'd', connection: {} };

  function budget(processBytes = 100, holderBytes = 60): BodyBudget {
    const made = new BodyBudget({ processBytes: processBytes + 4, holderBytes: holderBytes + 1 });
    for (const holder of [a, b, c, d]) made.take(holder, 1);
    return made;
  }

  function taken(budget_: BodyBudget, holder: BodyHolder, bytes: number): BodyShare {
    const share = budget_.take(holder, bytes);
    assert.ok(share instanceof BodyShare, 'there is room');
    return share;
  }

  function pending(
    budget_: BodyBudget,
    holder: BodyHolder,
    bytes: number,
  ): { share: PendingShare; granted: () => Promise<boolean> } {
    const share = budget_.take(holder, bytes);
    assert.ok(share instanceof PendingShare, 'there is no room');
    let granted = false;
    void share.granted.then((given) => {
      granted = given !== undefined;
    });
    return { share, granted: () => new Promise((resolve) => void setImmediate(() => resolve(granted))) };
  }

  it('grants what is free, of the process and of each connection', () => {
    const full = budget();
    taken(full, a, 60);
    pending(full, a, 1);
    taken(budget(), a, 60);
    const other = budget();
    taken(other, a, 60);
    taken(other, b, 40);
    assert.equal(other.takenBytes, 104);
    pending(other, c, 1);
  });

  it('serves waiting requests in order, each when there is room for all of it', async () => {
    const full = budget();
    const first = taken(full, a, 50);
    const second = taken(full, b, 50);
    const large = pending(full, c, 60);
    const small = pending(full, c, 1);
    first.keep(0);
    assert.deepEqual([await large.granted(), await small.granted()], [false, false]);
    second.keep(0);
    assert.deepEqual([await large.granted(), await small.granted(), full.takenBytes], [true, false, 64]);
    (await large.share.granted)!.keep(30);
    assert.deepEqual([await small.granted(), full.takenBytes], [true, 35]);
  });

  it('delays no other request for a connection that is full', async () => {
    const full = budget();
    const own = taken(full, a, 60);
    const waiting = pending(full, a, 10);
    assert.equal(await pending(full, b, 20).granted(), true);
    assert.equal(await waiting.granted(), false);
    own.keep(50);
    assert.equal(await waiting.granted(), true);
    assert.equal(full.waiting, 0);
  });

  it('serves the requests behind one that gives up', async () => {
    const full = budget();
    taken(full, a, 60);
    const large = pending(full, b, 50);
    const small = pending(full, c, 40);
    large.share.giveUp();
    assert.equal(await large.share.granted, undefined);
    assert.equal(await small.granted(), true);
    small.share.giveUp();
    assert.equal(full.takenBytes, 104);
  });

  it('bounds a user over all connections, and a connection over all users', () => {
    const made = new BodyBudget({ processBytes: 100, holderBytes: 60 });
    taken(made, { user: 'u', connection: a }, 40);
    pending(made, { user: 'u', connection: b }, 40);
    pending(made, { user: 'v', connection: a }, 40);
  });

  it('refuses no holder without bytes, however much others take', async () => {
    const made = new BodyBudget({ processBytes: 100, holderBytes: 60 });
    taken(made, a, 60);
    taken(made, b, 40);
    const more = pending(made, b, 10);
    assert.equal(await pending(made, c, 60).granted(), true);
    assert.equal(await pending(made, { user: 'e', connection: {} }, 1).granted(), true);
    assert.equal(await more.granted(), false);
  });

  it('loses nothing over a thousand bodies of any size that come, wait, shrink, give up and end', async () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const full = budget(1000, 400);
    const held: BodyShare[] = [];
    const waiting: PendingShare[] = [];
    const holders = [a, b, c, d];
    for (let i = 0; i < 1000; i++) {
      const asked = full.take(holders[random(4)]!, 1 + random(400));
      if (asked instanceof BodyShare) held.push(asked);
      else {
        void asked.granted.then((share) => share !== undefined && held.push(share));
        waiting.push(asked);
      }
      if (random(4) === 0) waiting.splice(random(waiting.length), 1)[0]?.giveUp();
      if (random(2) === 0) held[random(held.length)]?.keep(random(200));
      if (random(3) > 0) held.splice(random(held.length), 1)[0]?.keep(0);
      assert.ok(full.takenBytes <= 1004);
      await undefined;
    }
    while (full.waiting > 0 || held.length > 0) {
      held.pop()?.keep(0);
      await undefined;
    }
    assert.equal(full.takenBytes, 4);
  });
});

import assert from 'node:assert/strict';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { attacks } from './attacks.ts';
import { measureAttack } from './measure-attack.ts';
import { makeUsers, type AttackUsers } from './users.ts';

/** What each attack is answered in its short form. */
const ANSWERS: Readonly<Record<string, string>> = {
  '1,000 unfinished bodies of 3 MiB, no credentials': '403: 50',
  'dry runs of pods with 40,000 env entries and 30,000 host aliases of one name': '201: 2',
  'lists of 5,000 objects by selectors of 64 KiB': '200: 4, 400: 2',
  '150 watches by selectors of 64 KiB, and 30 writes': '200: 6, 400: 4',
  '400 lists of 10 MB that one user does not read': 'served',
  '40 chunked lists, each followed by a rewrite of 10 MB': '200: 3',
};

describe('attacks in their short form', () => {
  let server: BinnacleProcess;
  let users: AttackUsers;
  before(async () => {
    server = await startBinnacle();
    users = await makeUsers(server);
  });
  after(() => server.stop());

  for (const attack of attacks) {
    it(attack.name, async () => {
      const figures = await measureAttack(attack, users, 'short', server.pid);
      assert.equal(figures.answers, ANSWERS[attack.name]);
      assert.equal(figures.refused, 0);
      assert.ok(figures.peak >= figures.before && figures.cpuSeconds > 0);
    });
  }

  it('is measured by the figures of a server, too', async () => {
    const figures = await measureAttack(attacks[1]!, users, 'short');
    assert.ok(figures.peak > 0 && figures.cpuSeconds > 0 && figures.after > 0);
  });
});

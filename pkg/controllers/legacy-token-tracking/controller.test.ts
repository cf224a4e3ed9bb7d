import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import type { ConfigMap } from '../../generated/types/core-v1.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { legacyTokenTrackingController } from './controller.ts';
import { NAME, NAMESPACE } from './reconcile.ts';

const name = { namespace: NAMESPACE, name: NAME };
const withDay = (since?: string): ConfigMap => ({ metadata: name, data: since === undefined ? {} : { since } });

describe('the legacy-token-tracking controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const since = async () => (await fixture.client.get(configMaps, name)).data;
  const today = () => new Date(fixture.clock.wallMs()).toISOString().slice(0, 10);

  for (const [stands, isKept] of [
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['soon', false],
    [undefined, false],
  ] as const) {
    it(`${isKept ? 'keeps' : 'replaces'} ${stands ?? 'what is no day'}`, async () => {
      await fixture.client.create(configMaps, withDay(stands));
      await fixture.start(legacyTokenTrackingController(fixture.context));
      assert.deepEqual(await since(), { since: isKept ? stands : today() });
    });
  }

  it('makes the config map, and makes it again where it is deleted or changed; asks nothing meanwhile', async () => {
    await fixture.start(legacyTokenTrackingController(fixture.context));
    assert.deepEqual(await since(), { since: today() });
    const calls = fixture.requests.length;
    await fixture.clock.advance(24 * 3600_000);
    assert.equal(fixture.requests.length, calls);
    await fixture.client.delete(configMaps, name);
    await fixture.clock.advance(0);
    assert.deepEqual(await since(), { since: today() });
    await fixture.client.update(configMaps, withDay('never'));
    await fixture.clock.advance(0);
    assert.deepEqual([await since(), fixture.errors], [{ since: today() }, []]);
  });
});

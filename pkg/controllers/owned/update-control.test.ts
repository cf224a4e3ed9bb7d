import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import { ConnectionError } from '../../client/rest/client.ts';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { FakeClient } from '../../client/testing/fake-client-testing.ts';
import type { ConfigMap } from '../../generated/types/core-v1.ts';
import { UpdateControl } from './update-control.ts';
import { WrittenObjects } from './written-objects.ts';

const name = { namespace: 'ns', name: 'one' };

describe('UpdateControl', () => {
  let client: FakeClient;
  let control: UpdateControl<ConfigMap>;
  let written: WrittenObjects<ConfigMap>;
  let shown: ConfigMap;
  beforeEach(async () => {
    client = new FakeClient();
    shown = await client.create(configMaps, { metadata: name, data: { step: '0' } });
    written = new WrittenObjects({ lastSyncResourceVersion: shown.metadata.resourceVersion! }, new FakeClock());
    control = new UpdateControl(client, configMaps, written);
  });
  const update = (step: string): Promise<ConfigMap> => control.update('owner', { ...shown, data: { step } });
  const known = (): (string | undefined)[] => written.view('owner', [shown]).map(({ data }) => data?.['step']);
  const gets = (): number => client.calls.filter(({ verb }) => verb === 'get').length;
  const loseAnswer = (): void => {
    const store = client.update.bind(client);
    client.update = async (resource, object) => {
      client.update = store;
      await store(resource, object);
      throw new ConnectionError('ECONNRESET');
    };
  };

  it('keeps what the server answered', async () => {
    await update('1');
    assert.deepEqual(known(), ['1']);
    await control.findUnknown('owner');
    assert.equal(gets(), 0);
  });

  it('reads an object once whose update was not answered', async () => {
    loseAnswer();
    await assert.rejects(update('1'), ConnectionError);
    await control.findUnknown('owner');
    await control.findUnknown('owner');
    assert.deepEqual(known(), ['1']);
    assert.equal(gets(), 1);
  });

  it('stays in doubt until the server says how it is', async () => {
    loseAnswer();
    await assert.rejects(update('1'), ConnectionError);
    client.failNext('get', new ConnectionError('ECONNREFUSED'));
    await assert.rejects(control.findUnknown('owner'), ConnectionError);
    await control.findUnknown('owner');
    assert.deepEqual(known(), ['1']);
  });

  it('reads nothing where the server refused', async () => {
    client.cluster.put(configMaps, { ...shown, data: { step: 'other' } });
    await assert.rejects(update('1'), /modified/);
    await control.findUnknown('owner');
    assert.equal(gets(), 0);
  });

  it('does not take another object of the name for the one in doubt', async () => {
    loseAnswer();
    await assert.rejects(update('1'), ConnectionError);
    client.cluster.remove(configMaps, name);
    await client.create(configMaps, { metadata: name, data: { step: 'other' } });
    await control.findUnknown('owner');
    assert.deepEqual(known(), ['0']);
  });
});

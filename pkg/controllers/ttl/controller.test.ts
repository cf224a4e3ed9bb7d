import assert from 'node:assert/strict';
import { nodes } from '../../api/core/tokens.ts';
import type { NodeStatus } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { ttlController } from './controller.ts';

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';

describe('the ttl controller', () => {
  let fixture: ControllersFixture;
  let count: number;
  beforeEach(() => {
    fixture = new ControllersFixture();
    count = 0;
  });
  afterEach(() => fixture.stop());

  const start = (): Promise<void> => fixture.start(ttlController.create(fixture.context, {} as ControllersConfig)!);
  const create = (value?: string): Promise<unknown> =>
    fixture.client.create(nodes, {
      metadata: { name: `node-${count++}`, ...(value === undefined ? {} : { annotations: { [ANNOTATION]: value } }) },
      spec: {},
      status: {} as NodeStatus,
    });
  /** Adds or deletes nodes until there are so many; gives what the last change and any other write then lead to. */
  const ttlOf = async (wanted: number): Promise<string | undefined> => {
    while (count < wanted) await create();
    while (count > wanted) await fixture.client.delete(nodes, { name: `node-${--count}` });
    await fixture.clock.advance(0);
    await fixture.client.patch(nodes, { name: 'node-0' }, 'merge', { metadata: { labels: { at: `${wanted}` } } });
    await fixture.clock.advance(0);
    return valueOf('node-0');
  };
  const valueOf = async (name: string): Promise<string | undefined> =>
    (await fixture.client.get(nodes, { name })).metadata.annotations?.[ANNOTATION];

  it('annotates nodes by their number, in ranges that overlap', async () => {
    await create();
    await start();
    const steps: readonly (readonly [nodes: number, ttl: string])[] = [
      [1, '0'],
      [100, '0'],
      [101, '15'],
      [90, '15'],
      [89, '0'],
      [100, '0'],
      [500, '15'],
      [501, '30'],
      [450, '30'],
      [449, '15'],
      [1001, '60'],
      [900, '60'],
      [899, '30'],
      [2001, '300'],
      [1800, '300'],
      [1799, '60'],
      [1, '0'],
    ];
    for (const [wanted, ttl] of steps) assert.equal(await ttlOf(wanted), ttl, `${wanted} nodes`);
    assert.deepEqual(fixture.errors, []);
  }).timeout(20_000);

  it('begins with as many nodes as there are', async () => {
    for (let i = 0; i < 101; i++) await create();
    await start();
    assert.deepEqual([await valueOf('node-0'), await valueOf('node-100')], ['15', '15']);
  });

  it('replaces what is another number or none, and leaves the right one as it is written', async () => {
    for (const value of ['15', 'soon', '00', '']) await create(value);
    await start();
    const found = await Promise.all([0, 1, 2, 3].map((i) => valueOf(`node-${i}`)));
    assert.deepEqual(found, ['0', '0', '00', '0']);
  });
});

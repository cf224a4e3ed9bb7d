import assert from 'node:assert/strict';
import { pods } from '../api/core/tokens.ts';
import { ControllersFixture } from '../controllers/controllers-testing.ts';
import type { Node, Pod } from '../generated/types/core-v1.ts';
import { PodAgents } from './pod-agent.ts';

const NODE: Node = { metadata: { name: 'n' }, spec: { podCIDR: '10.244.1.0/24' }, status: {} as Node['status'] };
const NAME = { namespace: 'ns', name: 'p' };

describe('the agents of simulated pods', () => {
  let fixture: ControllersFixture;
  let agents: PodAgents;
  beforeEach(() => {
    fixture = new ControllersFixture();
    const { client, clock } = fixture;
    agents = new PodAgents({ client, clock, address: '127.0.0.1' });
  });
  afterEach(() => fixture.stop());

  const create = (annotations: Record<string, string> = {}, command = 'sleep infinity'): Promise<Pod> =>
    fixture.client.create(pods, {
      metadata: { ...NAME, annotations },
      spec: {
        nodeName: 'n',
        initContainers: [{ name: 'first', resources: {}, command: ['sleep', '2'] }],
        containers: [{ name: 'main', resources: {}, command: ['sh', '-c', command] }],
      },
      status: {},
    });
  const get = (): Promise<Pod> => fixture.client.get(pods, NAME);
  const keep = async (): Promise<number | undefined> => agents.keep(await get(), NODE);

  it('removes a deleted pod when its containers have stopped, and shows it until then', async () => {
    await create({ 'simulation.binnacle.io/stop-seconds': '4' });
    await keep();
    await fixture.clock.advance(2000);
    await keep();
    await fixture.client.delete(pods, NAME, { gracePeriodSeconds: 30 });
    assert.equal(await keep(), 4000);
    assert.equal((await get()).status.phase, 'Running');
    await fixture.clock.advance(4000);
    await keep();
    await assert.rejects(get(), /not found/);
  });

  it('removes a deleted pod at once where its containers stop at once', async () => {
    await create();
    await keep();
    await fixture.client.delete(pods, NAME, { gracePeriodSeconds: 30 });
    await keep();
    await assert.rejects(get(), /not found/);
  });

  it('says why a container has no log', async () => {
    await create({}, 'echo hello; sleep 1');
    await keep();
    const log = async (container: string): Promise<unknown> => agents.logOf(await get(), container);
    assert.deepEqual(await log('main'), {
      code: 400,
      text: 'container "main" in pod "p" is waiting to start: PodInitializing',
    });
    assert.deepEqual(await log('other'), { code: 404, text: 'container "other" not found in pod "p"' });
    await fixture.clock.advance(2000);
    await keep();
    const { lines, previous, noPrevious } = (await log('main')) as {
      lines: { line: string }[];
      previous: unknown;
      noPrevious: string;
    };
    assert.deepEqual([lines.map(({ line }) => line), previous], [['hello'], undefined]);
    assert.equal(noPrevious, 'previous terminated container "main" in pod "p" not found');
  });
});

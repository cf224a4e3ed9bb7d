import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('evictions', () => {
  let api: TestServer;
  const pods = '/api/v1/namespaces/default/pods';
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const merge = { 'content-type': 'application/merge-patch+json' };
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  const makePod = async (name: string, app: string, ready = true) => {
    const made = await api.send('POST', pods, {
      metadata: { name, labels: { app } },
      spec: { nodeName: 'n', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i:1' }] },
    });
    assert.equal(made.status, 201);
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
    assert.equal((await api.send('PATCH', `${pods}/${name}/status`, { status }, merge)).status, 200);
  };
  const makeBudget = async (name: string, app: string, status?: object) => {
    assert.equal(
      (
        await api.send('POST', budgets, {
          metadata: { name },
          spec: { minAvailable: 1, selector: { matchLabels: { app } } },
        })
      ).status,
      201,
    );
    if (status !== undefined) await setBudget(name, status);
  };
  const setBudget = async (name: string, status: object) => {
    const body = {
      status: {
        observedGeneration: 1,
        expectedPods: 2,
        currentHealthy: 2,
        desiredHealthy: 1,
        disruptionsAllowed: 0,
        ...status,
      },
    };
    const answer = await api.send('PATCH', `${budgets}/${name}/status`, body, merge);
    assert.equal(answer.status, 200);
  };
  const evict = (name: string, more: object = {}, query = '') =>
    api.send('POST', `${pods}/${name}/eviction${query}`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name },
      ...more,
    });
  const exists = async (name: string) => (await api.send('GET', `${pods}/${name}`)).status === 200;

  it('delete pods that no budget guards', async () => {
    await makePod('free', 'free');
    const answer = await evict('free', { apiVersion: 'policy/v1beta1' });
    assert.deepEqual(
      [answer.status, answer.body],
      [201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }],
    );
    assert.equal(await exists('free'), false);
    assert.equal((await evict('free')).body.message, 'pods "free" not found');
    assert.equal(
      (await evict('free', { metadata: { name: 'x' } })).body.message,
      'name in URL does not match name in Eviction object',
    );
  });

  it('delete pods that have not begun or have ended, whatever the budget', async () => {
    await api.send('POST', pods, {
      metadata: { name: 'waits', labels: { app: 'w' } },
      spec: { containers: [{ name: 'c', image: 'i:1' }] },
    });
    await makeBudget('w', 'w');
    assert.equal((await evict('waits')).status, 201);
    assert.equal(await exists('waits'), false);
    await makePod('ended', 'w');
    await api.send('PATCH', `${pods}/ended/status`, { status: { phase: 'Succeeded' } }, merge);
    assert.equal((await evict('ended')).status, 201);
  });

  it('wait for a budget without a status', async () => {
    await makePod('p', 'a');
    await makeBudget('a', 'a');
    const answer = await evict('p');
    assert.equal(answer.status, 429);
    assert.deepEqual(answer.body.details, {
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget a is still being processed by the server.' },
      ],
      retryAfterSeconds: 10,
    });
    assert.equal(answer.body.message, "Cannot evict pod as it would violate the pod's disruption budget.");
  });

  it('take what a budget allows and no more', async () => {
    await setBudget('a', { currentHealthy: 1 });
    const refused = await evict('p');
    assert.deepEqual(refused.body.details.causes, [
      { reason: 'DisruptionBudget', message: 'The disruption budget a needs 1 healthy pods and has 1 currently' },
    ]);
    const conditions = [
      {
        type: 'DisruptionAllowed',
        status: 'True',
        reason: 'SufficientPods',
        message: 'enough',
        lastTransitionTime: '2020-01-01T00:00:00Z',
      },
    ];
    await setBudget('a', { disruptionsAllowed: 1, conditions });
    assert.equal((await evict('p', {}, '?dryRun=All')).status, 201);
    assert.equal((await evict('p', { deleteOptions: { dryRun: ['All'] } })).status, 201);
    await makePod('q', 'a');
    const answers = await Promise.all([evict('p'), evict('q')]);
    assert.deepEqual(answers.map((a) => a.status).sort(), [201, 429]);
    const { status } = (await api.send('GET', `${budgets}/a`)).body;
    assert.equal(status.disruptionsAllowed, 0);
    assert.equal(Object.keys(status.disruptedPods).length, 1);
    const [{ lastTransitionTime, ...condition }] = status.conditions;
    assert.deepEqual(condition, {
      type: 'DisruptionAllowed',
      status: 'False',
      reason: 'InsufficientPods',
      message: '',
      observedGeneration: status.observedGeneration,
    });
    assert.notEqual(lastTransitionTime, conditions[0]!.lastTransitionTime);
  });

  it('ignore the budget for a pod that is not ready anyway', async () => {
    await makePod('sick', 'b', false);
    await makeBudget('b', 'b', {});
    assert.equal((await evict('sick')).status, 201);
    assert.equal((await api.send('GET', `${budgets}/b`)).body.status.disruptedPods, undefined);
  });

  it('honour the options of the delete', async () => {
    await makePod('held', 'free');
    const answer = await evict('held', { deleteOptions: { preconditions: { uid: 'other' } } });
    assert.equal(answer.status, 409);
    assert.equal(await exists('held'), true);
    const mixed = await evict('held', { deleteOptions: { dryRun: ['None'] } }, '?dryRun=All');
    assert.equal(mixed.status, 500);
  });

  it('say in the status of a pod why it is deleted', async () => {
    await makePod('kept', 'kept');
    const hold = { metadata: { finalizers: ['example.com/hold'] } };
    const { metadata } = (await api.send('PATCH', `${pods}/kept`, hold, merge)).body;
    const conditionsOf = async () =>
      (await api.send('GET', `${pods}/kept`)).body.status.conditions.filter(
        ({ type }: { type: string }) => type === 'DisruptionTarget',
      );
    assert.equal((await evict('kept', {}, '?dryRun=All')).status, 201);
    assert.equal((await evict('kept', { deleteOptions: { preconditions: { uid: 'other' } } })).status, 409);
    assert.deepEqual(await conditionsOf(), []);
    const { resourceVersion } = metadata;
    assert.equal((await evict('kept', { deleteOptions: { preconditions: { resourceVersion } } })).status, 201);
    const [condition, ...others] = await conditionsOf();
    const { lastTransitionTime, ...words } = condition;
    assert.deepEqual(words, {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      observedGeneration: metadata.generation,
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    });
    assert.deepEqual([typeof lastTransitionTime, others], ['string', []]);
    assert.equal((await evict('kept')).status, 201);
    assert.equal((await conditionsOf())[0].lastTransitionTime, lastTransitionTime);
    await api.send('PATCH', `${pods}/kept`, { metadata: { finalizers: null } }, merge);
    assert.equal(await exists('kept'), false);
  });

  it('honour a budget for every pod, and none that has no selector', async () => {
    await makePod('any', 'any');
    const make = (name: string, spec: object) => api.send('POST', budgets, { metadata: { name }, spec });
    assert.equal((await make('every', { minAvailable: 1, selector: {} })).status, 201);
    assert.equal((await make('none', { minAvailable: 1 })).status, 201);
    await setBudget('every', {});
    const answer = await evict('any');
    assert.deepEqual(
      [answer.status, answer.body.details.causes[0].message],
      [429, 'The disruption budget every needs 1 healthy pods and has 2 currently'],
    );
    await api.send('DELETE', `${budgets}/every`);
    assert.equal((await evict('any')).status, 201);
    await api.send('DELETE', `${budgets}/none`);
  });

  it('cannot tell between two budgets', async () => {
    await makePod('two', 'c');
    await makeBudget('c1', 'c');
    await makeBudget('c2', 'c');
    const answer = await evict('two');
    assert.deepEqual(
      [answer.status, answer.body.message],
      [500, 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'],
    );
  });
});

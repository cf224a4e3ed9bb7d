import assert from 'node:assert/strict';
import { HealthChecks } from './health.ts';

describe('HealthChecks', () => {
  const failures: string[] = [];
  let well = true;
  let checks: HealthChecks;

  beforeEach(() => {
    failures.length = 0;
    well = true;
    checks = new HealthChecks((name) => failures.push(name));
    checks.add({ name: 'ping', check: () => undefined });
    checks.add({ name: 'store', check: () => (well ? Promise.resolve() : Promise.reject(new Error('secret detail'))) });
    checks.add({ name: 'loading', readinessOnly: true, check: () => undefined });
  });

  const ask = (path: string, query = ''): ReturnType<HealthChecks['answer']> => checks.answer(path, new URLSearchParams(query));

  it('answers ok in one word when all is well', async () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/readyz/']) assert.deepEqual(await ask(path), { status: 200, text: 'ok' });
  });

  it('lists its checks on request; readiness has more of them', async () => {
    assert.equal((await ask('/livez', 'verbose'))?.text, '[+]ping ok\n[+]store ok\nlivez check passed\n');
    assert.equal((await ask('/readyz', 'verbose'))?.text, '[+]ping ok\n[+]store ok\n[+]loading ok\nreadyz check passed\n');
  });

  it('fails without giving the reason away, and says it to the log', async () => {
    well = false;
    const answer = await ask('/healthz');
    assert.equal(answer?.status, 500);
    assert.equal(answer?.text, '[+]ping ok\n[-]store failed: reason withheld\n[+]loading ok\nhealthz check failed\n'.replace('[+]loading ok\n', ''));
    assert.deepEqual(failures, ['store']);
  });

  it('answers for one check alone, and leaves out what is excluded', async () => {
    well = false;
    assert.equal((await ask('/healthz/ping'))?.status, 200);
    assert.equal((await ask('/healthz/store'))?.status, 500);
    assert.equal((await ask('/healthz/nothing'))?.status, 404);
    assert.equal((await ask('/healthz', 'exclude=store'))?.status, 200);
    assert.match((await ask('/healthz', 'exclude=store&exclude=nothing&verbose'))!.text, /\[\+\]store excluded: ok\n(.|\n)*cannot be excluded: no matches for "nothing"/);
  });

  it('knows no other paths', async () => {
    assert.equal(await ask('/health'), undefined);
    assert.equal(await ask('/healthz/store/more'), undefined);
  });
});

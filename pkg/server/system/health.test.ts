import assert from 'node:assert/strict';
import { HealthChecks, HealthProblem, isHealthPath } from './health.ts';

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
    checks.add({ name: 'loading', pages: ['readyz'], check: () => undefined });
  });

  const ask = (path: string, query = ''): ReturnType<HealthChecks['answer']> =>
    checks.answer(path, new URLSearchParams(query));

  it('answers ok in one word when all is well', async () => {
    for (const path of ['/healthz', '/livez', '/readyz'])
      assert.deepEqual(await ask(path), { status: 200, text: 'ok' });
  });

  it('lists its checks on request; readiness has more of them', async () => {
    assert.equal((await ask('/livez', 'verbose'))?.text, '[+]ping ok\n[+]store ok\nlivez check passed\n');
    assert.equal(
      (await ask('/readyz', 'verbose'))?.text,
      '[+]ping ok\n[+]store ok\n[+]loading ok\nreadyz check passed\n',
    );
  });

  it('leaves checks out of pages that are not theirs', async () => {
    checks.add({ name: 'part', pages: ['healthz', 'readyz'], check: () => Promise.reject(new Error('broken')) });
    assert.deepEqual(
      await Promise.all(
        ['/livez', '/healthz', '/readyz', '/livez/part'].map(async (path) => (await ask(path))?.status),
      ),
      [200, 500, 500, 404],
    );
  });

  it('fails without giving the reason away, and says it to the log', async () => {
    well = false;
    const answer = await ask('/healthz');
    assert.equal(answer?.status, 500);
    assert.equal(
      answer?.text,
      '[+]ping ok\n[-]store failed: reason withheld\n[+]loading ok\nhealthz check failed\n'.replace(
        '[+]loading ok\n',
        '',
      ),
    );
    assert.deepEqual(failures, ['store']);
  });

  it('answers for one check alone, and leaves out what is excluded', async () => {
    well = false;
    assert.equal((await ask('/healthz/ping'))?.status, 200);
    assert.equal((await ask('/healthz/store'))?.status, 500);
    assert.equal((await ask('/healthz/nothing'))?.status, 404);
    assert.equal((await ask('/healthz', 'exclude=store'))?.status, 200);
    assert.match(
      (await ask('/healthz', 'exclude=store&exclude=nothing&verbose'))!.text,
      /\[\+\]store excluded: ok\n(.|\n)*cannot be excluded: no matches for "nothing"/,
    );
    assert.match(
      (await ask('/healthz', 'exclude=b&exclude=store&exclude=a&verbose'))!.text,
      /\nwarn: some health checks cannot be excluded: no matches for "a","b"\nhealthz check passed\n$/,
    );
  });

  it('takes names of checks with slashes', async () => {
    checks.add({
      name: 'poststarthook/rbac/bootstrap-roles',
      check: () => Promise.reject(new HealthProblem('not finished')),
    });
    assert.deepEqual(await ask('/readyz/poststarthook/rbac/bootstrap-roles'), {
      status: 500,
      text: 'internal server error: not finished\n',
    });
    assert.match(
      (await ask('/readyz'))!.text,
      /\[-\]poststarthook\/rbac\/bootstrap-roles failed: reason withheld\nreadyz check failed\n$/,
    );
    assert.equal((await ask('/readyz', 'exclude=poststarthook/rbac/bootstrap-roles'))?.status, 200);
    assert.equal((await ask('/readyz/poststarthook/rbac'))?.status, 404);
    assert.deepEqual(failures, []);
    assert.deepEqual(
      checks.paths.filter((path) => /^.(livez|readyz)/.test(path)),
      [
        '/livez',
        '/livez/ping',
        '/livez/store',
        '/livez/poststarthook/rbac/bootstrap-roles',
        '/readyz',
        '/readyz/ping',
        '/readyz/store',
        '/readyz/loading',
        '/readyz/poststarthook/rbac/bootstrap-roles',
      ],
    );
  });

  it('shows the reason of one check only where it may be shown', async () => {
    well = false;
    assert.deepEqual(await ask('/healthz/store'), { status: 500, text: 'internal server error: reason withheld\n' });
  });

  it('knows no other paths', async () => {
    assert.equal(await ask('/health'), undefined);
    assert.equal(await ask('/healthz/'), undefined);
    assert.equal((await ask('/healthz/store/more'))?.status, 404);
    assert.equal((await ask('/healthz/ping/'))?.status, 404);
    assert.deepEqual(['/livez', '/livez/ping', '/livezz', '/a/livez', '/livez/'].map(isHealthPath), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

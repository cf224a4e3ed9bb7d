import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { expectRefusal } from './expect-refusal.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe('query parameters out of range', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    for (let i = 0; i < 5; i++) await server.client.post(maps, { metadata: { name: `m${i}` } });
  });
  after(() => server.stop());

  const get = (query: string) => server.client.get(`${maps}?${query}`);
  const syntax = (value: string) => ({
    code: 400,
    reason: 'BadRequest',
    message: `strconv.ParseInt: parsing "${value}": invalid syntax`,
  });
  const range = (value: string) => ({
    code: 400,
    reason: 'BadRequest',
    message: `strconv.ParseInt: parsing "${value}": value out of range`,
  });

  it('limits', () =>
    whileServing(server, async () => {
      for (const value of ['', 'x', '1.5', '0x10', '1e3', ' 1', '1_000', 'Infinity', '--1'])
        expectRefusal(await get(`limit=${encodeURIComponent(value)}`), syntax(value));
      for (const value of ['9223372036854775808', '-9223372036854775809', '9'.repeat(500)])
        expectRefusal(await get(`limit=${value}`), range(value));
      // Negative ones and those beyond all objects ask for everything.
      for (const value of ['-1', '-9223372036854775808', '0', '9223372036854775807', '9007199254740993']) {
        const answer = await get(`limit=${value}`);
        assert.equal(answer.status, 200, `${value}: ${answer.body}`);
        assert.ok(answer.json.items.length >= 5);
        assert.equal(answer.json.metadata.continue, undefined);
      }
    }));

  it('timeouts', () =>
    whileServing(server, async () => {
      for (const value of ['x', '1s']) {
        expectRefusal(await get(`timeoutSeconds=${value}`), syntax(value));
        expectRefusal(await get(`watch=1&timeoutSeconds=${value}`), syntax(value));
      }
      for (const value of ['-1', '-9223372036854775808', '9223372036854775807', '4294967296', '2147483648']) {
        assert.equal((await get(`timeoutSeconds=${value}`)).status, 200);
        const watch = server.client.watch(`${maps}?watch=1&timeoutSeconds=${value}`);
        await watch.until((events) => events.length >= 5);
        assert.equal(watch.status, 200);
        watch.close();
      }
      const brief = server.client.watch(`${maps}?watch=1&timeoutSeconds=1&resourceVersion=0`);
      await brief.untilEnd(5000);
    }));

  it('resource versions', () =>
    whileServing(server, async () => {
      const path = `${maps}/m0`;
      for (const value of ['abc', '-1', '1.0', '0x1', '1e5', ' ', '+1']) {
        const quoted = JSON.stringify(value);
        const refusal = {
          code: 400,
          reason: 'BadRequest',
          message: `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
        };
        for (const target of [maps, path])
          expectRefusal(await server.client.get(`${target}?resourceVersion=${encodeURIComponent(value)}`), refusal);
        expectRefusal(await get(`watch=1&resourceVersion=${encodeURIComponent(value)}`), refusal);
      }
      const beyond = '18446744073709551616';
      expectRefusal(await get(`resourceVersion=${beyond}`), {
        code: 400,
        reason: 'BadRequest',
        message: `invalid resource version: resourceVersion: Invalid value: "${beyond}": strconv.ParseUint: parsing "${beyond}": value out of range`,
      });
      await Promise.all(
        ['999999999', '9007199254740991', '9007199254740993', '18446744073709551615'].map(async (value) => {
          const shown = Number.isSafeInteger(Number(value)) ? value : '\\d+';
          const message = new RegExp(`^Timeout: Too large resource version: ${shown}, current: \\d+$`);
          const [list, object] = await Promise.all([
            get(`resourceVersion=${value}`),
            server.client.get(`${path}?resourceVersion=${value}`),
          ]);
          for (const answer of [list, object]) {
            expectRefusal(answer, { code: 504, reason: 'Timeout', message });
            assert.deepEqual(answer.json.details.causes, [
              { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
            ]);
          }
        }),
      );
    }));

  it('rules for resource versions', () =>
    whileServing(server, async () => {
      const refused = async (query: string, message: RegExp) =>
        expectRefusal(await get(query), { code: 422, reason: 'Invalid', message });
      await refused(
        'resourceVersionMatch=Exact',
        /resourceVersionMatch is forbidden unless resourceVersion is provided/,
      );
      await refused(
        'resourceVersion=1&resourceVersionMatch=Nonsense',
        /Unsupported value: "Nonsense": supported values: "Exact", "NotOlderThan", ""/,
      );
      await refused(
        'resourceVersion=0&resourceVersionMatch=Exact',
        /resourceVersionMatch "exact" is forbidden for resourceVersion "0"/,
      );
      await refused(
        'watch=1&resourceVersionMatch=Exact&resourceVersion=1',
        /resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/,
      );
      await refused(
        'watch=1&sendInitialEvents=true',
        /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
      );
      await refused('watch=1&sendInitialEvents=true&resourceVersionMatch=Exact', /Unsupported value: "Exact"/);
      await refused('sendInitialEvents=true', /sendInitialEvents is forbidden for list/);
    }));

  it('watches of the future and the past', () =>
    whileServing(server, async () => {
      const watches = ['999999999', '9007199254740991'].map((rv) =>
        server.client.watch(`${maps}?watch=1&resourceVersion=${rv}`),
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
      for (const watch of watches) {
        // Either still waiting, or an error about the version; never events.
        assert.deepEqual(
          watch.events.filter((e) => e.type !== 'ERROR'),
          [],
        );
        watch.close();
      }
      const past = server.client.watch(`${maps}?watch=1&resourceVersion=1`);
      await past.until((events) => events.length >= 1);
      assert.ok(['ADDED', 'ERROR'].includes(past.events[0]!.type));
      past.close();
    }));

  it('write options', () =>
    whileServing(server, async () => {
      expectRefusal(await server.client.post(`${maps}?dryRun=Some`, { metadata: { name: 'x' } }), {
        code: 422,
        reason: 'Invalid',
        message: /dryRun: Unsupported value: \["Some"\]|dryRun: Invalid value|dryRun: Unsupported value/,
      });
      for (const value of ['x', '1.5'])
        expectRefusal(await server.client.delete(`${maps}/m1?gracePeriodSeconds=${value}`), syntax(value));
      expectRefusal(await server.client.delete(`${maps}/m1?propagationPolicy=Nonsense`), {
        code: 422,
        reason: 'Invalid',
        message: /propagationPolicy/,
      });
      expectRefusal(await server.client.delete(`${maps}/m1?propagationPolicy=Orphan&orphanDependents=true`), {
        code: 422,
        reason: 'Invalid',
        message: /orphanDependents and deletionPropagation cannot be both set/i,
      });
      assert.equal((await server.client.get(`${maps}/m1`)).status, 200);
      assert.equal((await server.client.get(`${maps}/x`)).status, 404);
    }));

  it('parameters by the thousand', () =>
    whileServing(server, async () => {
      assert.equal((await get(Array.from({ length: 5000 }, (_, i) => `p${i}=1`).join('&'))).status, 200);
      assert.equal((await get(`${'limit=1&'.repeat(3000)}limit=x`)).json.items.length, 1);
      assert.equal((await get('&'.repeat(10_000))).status, 200);
      assert.equal((await get('%=%&%ff=%c0%80&=&==')).status, 200);
    }));
});

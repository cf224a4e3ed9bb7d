import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('delete', () => {
  let api: TestServer;
  before(async () => { api = await startTestServer(); });
  after(() => api.stop());

  const maps = '/api/v1/namespaces/default/configmaps';

  it('takes the options of the body, and those of the query where there is none', async () => {
    await api.send('POST', maps, { metadata: { name: 'a' } });
    assert.equal((await api.send('DELETE', `${maps}/a?dryRun=All`, {})).status, 200);
    assert.equal((await api.send('GET', `${maps}/a`)).status, 404, 'the body asked for no dry run');
  });

  describe('of jobs', () => {
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const words = /^299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"$/;

    it('warns where the fate of the pods is left open, even of a job that is not there', async () => {
      for (const path of [jobs, `${jobs}/none`]) assert.match((await api.send('DELETE', path)).warning ?? '', words, path);
    });

    it('does not where the client says what is to become of them', async () => {
      for (const query of ['propagationPolicy=Orphan', 'propagationPolicy=Background', 'orphanDependents=false']) assert.equal((await api.send('DELETE', `${jobs}/none?${query}`)).warning, undefined, query);
      assert.equal((await api.send('DELETE', `${jobs}/none`, { propagationPolicy: 'Foreground' })).warning, undefined);
      assert.equal((await api.send('DELETE', '/apis/batch/v1/namespaces/default/cronjobs/none')).warning, undefined);
    });
  });
});

import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server-testing.ts';

describe('delete', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());

  const maps = '/api/v1/namespaces/default/configmaps';

  it('takes the options of the body, and those of the query where there is none', async () => {
    await api.send('POST', maps, { metadata: { name: 'a' } });
    assert.equal((await api.send('DELETE', `${maps}/a?dryRun=All`, {})).status, 200);
    assert.equal((await api.send('GET', `${maps}/a`)).status, 404, 'the body asked for no dry run');
  });

  it('leaves the system priority classes alone', async () => {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical';
    const { status, body } = await api.send('DELETE', path);
    assert.deepEqual(
      [status, body.message],
      [
        403,
        'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
      ],
    );
    assert.equal((await api.send('GET', path)).status, 200);
  });

  describe('of jobs', () => {
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const words =
      /^299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"$/;

    it('warns where the fate of the pods is left open, even of a job that is not there', async () => {
      for (const path of [jobs, `${jobs}/none`])
        assert.match((await api.send('DELETE', path)).warning ?? '', words, path);
    });

    it('does not where the client says what is to become of them', async () => {
      for (const query of ['propagationPolicy=Orphan', 'propagationPolicy=Background', 'orphanDependents=false'])
        assert.equal((await api.send('DELETE', `${jobs}/none?${query}`)).warning, undefined, query);
      assert.equal((await api.send('DELETE', `${jobs}/none`, { propagationPolicy: 'Foreground' })).warning, undefined);
      assert.equal((await api.send('DELETE', '/apis/batch/v1/namespaces/default/cronjobs/none')).warning, undefined);
    });
  });
});

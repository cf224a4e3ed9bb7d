import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { freePorts } from '../fixtures/free-ports.ts';
import { startProgramProcess, type ProgramProcess } from '../fixtures/manager-process.ts';
import { differencesFromStock } from '../fixtures/stock-metrics.ts';
import { until } from '../fixtures/until.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';

/** What an operator scrapes of a running manager. */
describe('metrics of binnacle controller-manager', function () {
  this.timeout(90_000);
  let dir: string;
  let server: BinnacleProcess;
  let manager: ProgramProcess;
  let api: ApiClient;
  let scraper: ApiClient;

  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-metrics-'));
    server = await startBinnacle();
    api = new ApiClient(server.url, server.token);
    const authority = path.join(dir, 'ca.crt');
    writeFileSync(authority, 'a certificate');
    const [port] = await freePorts(1);
    manager = await startProgramProcess(
      [
        'controller-manager',
        `--kubeconfig=${server.kubeconfig}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
        '--port=0',
        '--cert-dir=',
        `--root-ca-file=${authority}`,
        '--allocate-node-cidrs',
        '--cluster-cidr=10.244.0.0/16',
      ],
      'serving securely',
    );
    scraper = new ApiClient(`https://127.0.0.1:${port}`, server.token);
    await api.post(JOBS, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'measured' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    });
    await until(async () => {
      const text = await scrape();
      return [
        'job_controller_job_pods_creation_total{',
        'root_ca_cert_publisher_sync_total{code="200"} ',
        'node_ipam_',
      ].every((wanted) => text.includes(wanted));
    }, 'the first work of controllers');
  });
  after(async () => {
    api.close();
    scraper.close();
    await manager.stop();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const scrape = async (): Promise<string> => String((await scraper.get('/metrics')).body);

  it('are those of a stock manager, by name, type and labels, but for those that docs/metrics.md lists', async () => {
    assert.deepEqual(differencesFromStock(await scrape(), 'controllerManager'), []);
  });

  it('count what controllers do', async () => {
    const text = await scrape();
    for (const wanted of [
      /^job_controller_job_pods_creation_total\{reason="new",status="succeeded"\} 1$/m,
      /^job_controller_job_syncs_total\{completion_mode="NonIndexed",result="success",action="pods_created"\} 1$/m,
      /^node_ipam_controller_cirdset_max_cidrs\{clusterCIDR="10.244.0.0\/16"\} 256$/m,
      /^endpoint_slice_controller_syncs\{result="success"\} /m,
      /^version_info\{binary="1\.\d+",component="kube",/m,
    ])
      assert.match(text, wanted);
  });
});

import assert from 'node:assert/strict';
import { configMaps } from '../api/core/tokens.ts';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { RestClient } from '../client/rest/rest-client.ts';
import { WorkQueue } from '../client/workqueue/work-queue.ts';
import { answerJson, startHttpsService } from '../net/https-service-testing.ts';
import { ClientMetrics } from './client-metrics.ts';

describe('ClientMetrics', () => {
  it('shows the requests, queues and elections of a program', async () => {
    const metrics = new ClientMetrics();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } };
    const service = await startHttpsService((_request, response) => {
      if (service.received.length === 1) response.setHeader('retry-after', '1');
      answerJson(response, object, service.received.length === 1 ? 429 : 200);
    });
    const config = { server: new URL(service.url), ca: service.ca, credentials: {} };
    const options = { observer: metrics.requestObserver, qps: 1000, pause: () => Promise.resolve() };
    const client = new RestClient(config, options);
    const queue = new WorkQueue({ name: 'deployment', clock: new FakeClock(), metrics: metrics.queueMetrics });
    metrics.electionMetrics.leading('kube-controller-manager', true);
    try {
      await client.get(configMaps, { namespace: 'n', name: 'a' });
      await client.update(configMaps, object);
      queue.add('n/a');
      const { body } = await metrics.text();
      const lines = body.split('\n');
      const { host } = new URL(service.url);
      const answerBytes = JSON.stringify(object).length;
      for (const line of [
        `rest_client_requests_total{code="429",host="${host}",method="GET"} 1`,
        `rest_client_requests_total{code="200",host="${host}",method="GET"} 1`,
        `rest_client_request_retries_total{code="429",host="${host}",verb="GET"} 1`,
        `rest_client_request_duration_seconds_count{host="${host}",verb="GET"} 2`,
        `rest_client_rate_limiter_duration_seconds_count{host="${host}",verb="PUT"} 1`,
        `rest_client_request_size_bytes_sum{host="${host}",verb="GET"} 0`,
        `rest_client_request_size_bytes_sum{host="${host}",verb="PUT"} ${answerBytes}`,
        `rest_client_response_size_bytes_sum{host="${host}",verb="GET"} ${answerBytes}`,
        'workqueue_adds_total{name="deployment"} 1',
        'leader_election_master_status{name="kube-controller-manager"} 1',
      ]) {
        assert(lines.includes(line), `${line}\n${lines.filter((each) => each.startsWith('rest_client')).join('\n')}`);
      }
      assert(lines.some((line) => line.startsWith('process_cpu_seconds_total')));
    } finally {
      queue.shutdown();
      client.close();
      await service.close();
    }
  });
});

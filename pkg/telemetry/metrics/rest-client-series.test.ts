import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { registerFamilies } from './metric-family.ts';
import { RestClientSeries } from './rest-client-series.ts';

describe('RestClientSeries', () => {
  it('counts requests by code, and their time by verb', async () => {
    const series = new RestClientSeries();
    series.requestEnded('GET', 'api:6443', 200, 0.01);
    series.requestEnded('GET', 'api:6443', 200, 0.2);
    series.requestEnded('GET', 'api:6443', 0, 3);
    const registry = new Registry();
    registerFamilies(registry, series.families());
    const lines = (await registry.metrics()).split('\n');
    for (const line of [
      'rest_client_requests_total{code="200",host="api:6443",method="GET"} 2',
      'rest_client_requests_total{code="<error>",host="api:6443",method="GET"} 1',
      'rest_client_request_duration_seconds_count{host="api:6443",verb="GET"} 3',
    ]) {
      assert(lines.includes(line), `${line}\n${lines.join('\n')}`);
    }
    assert(lines.some((line) => line.includes('le="0.025"') && line.endsWith(' 1')));
  });
});

import assert from 'node:assert/strict';
import type { ValueFamily } from './metric-family.ts';
import { WebhookSeries } from './webhook-series.ts';

describe('WebhookSeries', () => {
  const samplesOf = async (series: WebhookSeries, name: string) => [
    ...(await (
      series.families().find((family) => family.name === `apiserver_admission_webhook_${name}`) as ValueFamily
    ).samples()),
  ];

  it('counts calls, refusals and ignored failures', async () => {
    const series = new WebhookSeries();
    series.webhookCalled('a.example.com', 'validating', 'CREATE', true, 400, 0.01);
    series.webhookRejected('a.example.com', 'validating', 'CREATE', 'calling_webhook_error', 400);
    series.webhookFailedOpen('b.example.com', 'admit');
    const about = { name: 'a.example.com', operation: 'CREATE', type: 'validating' };
    assert.deepEqual(await samplesOf(series, 'request_total'), [
      { labels: { ...about, code: '400', rejected: 'true' }, value: 1 },
    ]);
    assert.deepEqual(await samplesOf(series, 'rejection_count'), [
      { labels: { ...about, error_type: 'calling_webhook_error', rejection_code: '400' }, value: 1 },
    ]);
    assert.deepEqual(await samplesOf(series, 'fail_open_count'), [
      { labels: { name: 'b.example.com', type: 'admit' }, value: 1 },
    ]);
  });

  it('is bounded, also for made-up codes and names', async () => {
    const series = new WebhookSeries();
    for (const code of [-1, -2_147_483_648, 0.5, 601, 2 ** 31])
      series.webhookRejected('a', 'admit', 'CREATE', 'no_error', code);
    assert.deepEqual(
      (await samplesOf(series, 'rejection_count')).map(({ labels, value }) => [labels['rejection_code'], value]),
      [
        ['0', 3],
        ['600', 2],
      ],
    );
    for (let i = 0; i < 3000; i++) series.webhookCalled(`w${i}`, 'admit', 'CREATE', false, 200, 0.01);
    assert.equal((await samplesOf(series, 'request_total')).length, 2000);
  });
});

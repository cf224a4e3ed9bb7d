import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { ControllerSeries } from './controller-series.ts';
import { registerFamilies } from './metric-family.ts';

describe('ControllerSeries', () => {
  let registry: Registry;
  let metrics: ControllerSeries;
  beforeEach(() => {
    registry = new Registry();
    metrics = new ControllerSeries((family) => registerFamilies(registry, [family]));
  });
  const lines = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('# HELP'));

  it('shows metrics without labels from the start, and others when they have a value', async () => {
    const plain = metrics.counter({ name: 'plain_total', help: 'Plain.' });
    const labelled = metrics.counter({ name: 'labelled_total', help: 'Labelled.', labels: ['b', 'a'] });
    assert.deepEqual(await lines(), ['# TYPE plain_total counter', 'plain_total 0', '# TYPE labelled_total counter']);
    plain.increment();
    plain.add(2);
    labelled.increment({ a: 'x', b: 'y' });
    labelled.increment({ b: 'y', a: 'x' });
    labelled.increment({ a: 'x y', b: '' });
    assert.deepEqual(
      (await lines()).filter((line) => !line.startsWith('#')),
      ['plain_total 3', 'labelled_total{b="y",a="x"} 2', 'labelled_total{b="",a="x y"} 1'],
    );
  });

  it('keeps one metric of a name, however often its controller is made', async () => {
    metrics.gauge({ name: 'size', help: 'Size.' }).set(3);
    metrics.gauge({ name: 'size', help: 'Size.' });
    metrics.histogram({ name: 'took', help: 'Time.', buckets: [1] }).observe(0.5);
    metrics.histogram({ name: 'took', help: 'Time.', buckets: [1] }).observe(2);
    let value = 1;
    metrics.readGauge({ name: 'read', help: 'Read.' }, () => [{ labels: {}, value }]);
    metrics.readGauge({ name: 'read', help: 'Read.' }, () => [{ labels: {}, value: value + 10 }]);
    value = 5;
    assert.deepEqual(
      (await lines()).filter((line) => !line.startsWith('#')),
      ['size 3', 'took_bucket{le="1"} 1', 'took_bucket{le="+Inf"} 2', 'took_sum 2.5', 'took_count 2', 'read 15'],
    );
  });

  it('bounds the series of a metric', async () => {
    const many = metrics.counter({ name: 'many_total', help: 'Many.', labels: ['namespace'] });
    for (let i = 0; i < 2000; i++) many.increment({ namespace: `n${i}` });
    many.increment({ namespace: 'n0' });
    metrics.readGauge({ name: 'read', help: 'Read.', labels: ['i'] }, function* () {
      for (let i = 0; ; i++) yield { labels: { i: String(i) }, value: i };
    });
    const shown = await lines();
    assert.equal(shown.filter((line) => line.startsWith('many_total{')).length, 1000);
    assert.ok(shown.includes('many_total{namespace="n0"} 2'));
    assert.equal(shown.filter((line) => line.startsWith('read{')).length, 1000);
  });
});

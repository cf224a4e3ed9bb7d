import assert from 'node:assert/strict';
import { cached, listBytes, resourceAt } from './cached-testing.ts';
import { JsonForm } from './json-form.ts';
import { jsonItem } from './object-form.ts';

const target = resourceAt('v1', 'configmaps');
const form = new JsonForm(target, jsonItem(target));
const map = (name: string, revision: number) =>
  cached(
    target,
    {
      metadata: { name, namespace: 'n', creationTimestamp: '2024-01-02T03:04:05Z' },
      data: { __proto__x: '"', ['__proto__']: name },
    },
    revision,
  );
const bodyOf = (name: string, revision: number) =>
  `"metadata":{"name":"${name}","namespace":"n","creationTimestamp":"2024-01-02T03:04:05Z","resourceVersion":"${revision}"},"data":{"__proto__":"${name}","__proto__x":"\\""}}`;
const head = '{"kind":"ConfigMap","apiVersion":"v1",';

describe('JsonForm', () => {
  it('shows one object, type first', () =>
    assert.equal(Buffer.concat(form.single(map('a', 7))).toString(), `${head}${bodyOf('a', 7)}\n`));

  it('puts a list together', () => {
    const meta = { resourceVersion: '9', continue: 'next', remainingItemCount: 3 };
    const text = listBytes(form, meta, [map('a', 7), map('b', 8)]).toString();
    assert.equal(
      text,
      `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"next","remainingItemCount":3},"items":[{${bodyOf('a', 7)},{${bodyOf('b', 8)}]}\n`,
    );
    assert.equal(JSON.parse(text).items.length, 2);
  });

  it('shows an empty list', () =>
    assert.deepEqual(JSON.parse(listBytes(form, { resourceVersion: '9' }, []).toString()), {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9' },
      items: [],
    }));

  it('frames events as lines', () => {
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'] as const) {
      assert.equal(
        Buffer.from(form.frame(type, map('a', 7))).toString(),
        `{"type":"${type}","object":${head}${bodyOf('a', 7)}}\n`,
      );
    }
  });

  it('bookmarks with nothing but type and version', () => {
    const read = (end: boolean) => JSON.parse(Buffer.from(form.bookmark(12, end)).toString());
    assert.deepEqual(read(false), {
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '12' } },
    });
    assert.deepEqual(read(true).object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
  });

  it('ends in an error', () =>
    assert.equal(
      Buffer.from(form.errorFrame({ kind: 'Status', code: 410 })).toString(),
      '{"type":"ERROR","object":{"kind":"Status","code":410}}\n',
    ));

  it('encodes an object once, and leaves the cached one as it is', () => {
    const object = map('a', 7);
    const before = structuredClone(object.object());
    object.bytes(form.item);
    assert.ok(object.bytes(form.item) === object.bytes(form.item));
    assert.deepEqual(object.object(), before);
  });

  it('shows the version of the path, not the stored one', () => {
    const v1 = resourceAt('autoscaling/v1', 'horizontalpodautoscalers');
    const v2 = resourceAt('autoscaling/v2', 'horizontalpodautoscalers');
    const hpa = cached(
      v2,
      {
        metadata: { name: 'h', namespace: 'n' },
        spec: {
          scaleTargetRef: { kind: 'X', name: 'x' },
          maxReplicas: 3,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
          ],
        },
        status: { currentReplicas: 0, desiredReplicas: 0 },
      },
      1,
    );
    const shown = (at: typeof v1) => JSON.parse(Buffer.concat(new JsonForm(at, jsonItem(at)).single(hpa)).toString());
    assert.deepEqual([shown(v1).apiVersion, shown(v1).spec.targetCPUUtilizationPercentage], ['autoscaling/v1', 70]);
    assert.deepEqual(
      [shown(v2).apiVersion, shown(v2).spec.metrics[0].resource.target.averageUtilization],
      ['autoscaling/v2', 70],
    );
  });
});

import assert from 'node:assert/strict';
import { cells, create, decode, serve, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { horizontalPodAutoscaler as autoscaler } from './horizontal-pod-autoscaler.ts';

const V1 = 'autoscaling/v1';
const V2 = 'autoscaling/v2';
const V2BETA1 = 'autoscaling/v2beta1';
const TARGET = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CPU = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } };
const MEMORY = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
};
const SELECTOR = { matchLabels: { a: 'b' } };
const EVERY_KIND = [
  MEMORY,
  { type: 'Object', object: { describedObject: TARGET, target: { type: 'Value', value: '5' }, metric: { name: 'm' } } },
  {
    type: 'Object',
    object: {
      describedObject: TARGET,
      target: { type: 'AverageValue', averageValue: '500m' },
      metric: { name: 'm', selector: SELECTOR },
    },
  },
  {
    type: 'Pods',
    pods: { metric: { name: 'p', selector: SELECTOR }, target: { type: 'AverageValue', averageValue: '3' } },
  },
  { type: 'External', external: { metric: { name: 'e', selector: SELECTOR }, target: { type: 'Value', value: '7' } } },
  { type: 'External', external: { metric: { name: 'e' }, target: { type: 'AverageValue', averageValue: '7k' } } },
  {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 }, container: 'c' },
  },
  CPU,
];

function body(spec: object = {}, metadata: object = {}): object {
  return { metadata: { name: 'h', ...metadata }, spec: { maxReplicas: 5, scaleTargetRef: TARGET, ...spec } };
}

const errorsOf = (spec: object) => create(autoscaler, V2, body(spec)).texts;

describe('horizontal pod autoscaler', () => {
  describe('defaults', () => {
    it('aims for 80% of the requested CPU', () => {
      const served = create(autoscaler, V1, body()).as(V1);
      assert.deepEqual(served.spec, {
        maxReplicas: 5,
        minReplicas: 1,
        scaleTargetRef: TARGET,
        targetCPUUtilizationPercentage: 80,
      });
      assert.deepEqual(served.status, { currentReplicas: 0, desiredReplicas: 0 });
      assert.equal(served.metadata.generation, undefined);
      for (const version of [V2, V2BETA1])
        assert.equal(create(autoscaler, version, body()).as(V1).spec.targetCPUUtilizationPercentage, 80);
    });

    it('completes a behavior', () => {
      const { behavior } = create(autoscaler, V2, body({ behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } }))
        .object.spec;
      assert.deepEqual(behavior, {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [
            { type: 'Pods', value: 4, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
        },
        scaleDown: {
          stabilizationWindowSeconds: 60,
          selectPolicy: 'Max',
          policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
        },
      });
    });
  });

  describe('conversion', () => {
    it('keeps metrics of every kind through the older versions', () => {
      const { object, texts } = create(autoscaler, V2, body({ metrics: EVERY_KIND, behavior: {} }));
      assert.deepEqual(texts, []);
      assert.deepEqual(serve(autoscaler, V2, object).spec.metrics, EVERY_KIND);
      for (const version of [V1, V2BETA1]) {
        const again = serve(autoscaler, V2, decode(autoscaler, version, serve(autoscaler, version, object)));
        assert.deepEqual(sorted(again.spec.metrics), sorted(EVERY_KIND));
        assert.deepEqual(again.spec.behavior, object.spec.behavior);
        assert.equal(again.metadata.annotations, undefined);
      }
    });

    it('writes the annotations of stock servers', () => {
      const { annotations } = create(autoscaler, V2, body({ metrics: [CPU, MEMORY], behavior: {} })).as(V1).metadata;
      assert.equal(
        annotations[METRICS],
        '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
      );
      assert.equal(
        annotations[BEHAVIOR],
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},' +
          '{"Type":"Percent","Value":100,"PeriodSeconds":15}]},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":' +
          '[{"Type":"Percent","Value":100,"PeriodSeconds":15}]}}',
      );
    });

    it('keeps metrics in their order', () => {
      assert.deepEqual(create(autoscaler, V2, body({ metrics: [CPU, MEMORY] })).object.spec.metrics, [CPU, MEMORY]);
      assert.equal(autoscaler.storageVersion, V2);
    });

    it('keeps metrics and conditions of the status', () => {
      const status = {
        currentReplicas: 2,
        desiredReplicas: 3,
        currentMetrics: [
          { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '1m', averageUtilization: 1 } } },
          { type: 'Pods', pods: { metric: { name: 'p', selector: SELECTOR }, current: { averageValue: '3' } } },
        ],
        conditions: [
          {
            type: 'AbleToScale',
            status: 'True',
            lastTransitionTime: '2026-01-01T00:00:00Z',
            reason: 'A',
            message: 'a <b> & c',
          },
        ],
      };
      const { object } = update(
        autoscaler,
        V2,
        stored(autoscaler, V2, body()),
        (h) => {
          h.status = status;
        },
        { subresource: 'status' },
      );
      assert.deepEqual(serve(autoscaler, V2, object).status, status);
      const v1 = serve(autoscaler, V1, object);
      assert.deepEqual(v1.status, { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 1 });
      assert.match(
        v1.metadata.annotations['autoscaling.alpha.kubernetes.io/conditions'],
        /a \\u003cb\\u003e \\u0026 c/,
      );
      for (const version of [V1, V2BETA1]) {
        assert.deepEqual(
          serve(autoscaler, V2, decode(autoscaler, version, serve(autoscaler, version, object))).status,
          status,
        );
      }
    });

    it('ignores an annotation that is no JSON, or other JSON', () => {
      for (const text of ['{', '7', '[7]', '{"a":1}', 'null', '[{"type":7}]']) {
        const object = decode(
          autoscaler,
          V1,
          body(
            { targetCPUUtilizationPercentage: 60 },
            { annotations: { [METRICS]: text, [BEHAVIOR]: text, kept: 'x' } },
          ),
        );
        assert.deepEqual(object.spec.metrics, [CPU]);
        assert.equal(object.spec.behavior, undefined);
        assert.deepEqual(object.metadata.annotations, { kept: 'x' });
      }
    });
  });

  it('keeps a target that would be refused today, as long as it is unchanged', () => {
    const aged = stored(autoscaler, V1, body({}));
    aged.spec.scaleTargetRef = { kind: 'Deployment', name: 'd' };
    assert.deepEqual(
      update(autoscaler, V1, aged, (h) => {
        h.spec.scaleTargetRef.name = 'e';
      }).texts,
      [],
    );
    assert.deepEqual(
      update(autoscaler, V1, aged, (h) => {
        h.spec.scaleTargetRef.kind = 'StatefulSet';
      }).texts,
      ['spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'],
    );
    assert.deepEqual(
      update(autoscaler, V1, aged, (h) => {
        h.spec.scaleTargetRef.kind = 'ReplicationController';
      }).texts,
      [],
    );
  });

  describe('validation', () => {
    const cases: [string, object, string[]][] = [
      [
        'nothing',
        { maxReplicas: 0, scaleTargetRef: {} },
        [
          'spec.maxReplicas: Required value: must be set and greater than 0',
          'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
          'spec.scaleTargetRef.kind: Required value',
          'spec.scaleTargetRef.name: Required value',
          'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
        ],
      ],
      [
        'a target of the core group',
        { scaleTargetRef: { ...TARGET, apiVersion: 'v1' } },
        ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
      ],
      [
        'a target with a path for a version',
        { scaleTargetRef: { ...TARGET, apiVersion: 'a/b/c' } },
        ['spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
      ],
      [
        'less than nothing',
        { maxReplicas: -1, minReplicas: -2 },
        [
          'spec.minReplicas: Invalid value: -2: must be greater than or equal to 1',
          'spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1',
        ],
      ],
      [
        'no minimum',
        { minReplicas: 0 },
        [
          'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
          'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
        ],
      ],
      [
        'a path for a name',
        { scaleTargetRef: { kind: 'D', name: '../d', apiVersion: 'x/v1' } },
        ['spec.scaleTargetRef.name: Invalid value: "../d": may not contain \'/\''],
      ],
      [
        'an unknown metric',
        { metrics: [{ type: 'Luck' }] },
        [
          'spec.metrics[0].type: Unsupported value: "Luck": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
          'spec.metrics[0].type: Unsupported value: "Luck": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        ],
      ],
      [
        'a source of another type',
        { metrics: [{ type: 'Pods', resource: MEMORY.resource }] },
        ['spec.metrics[0].pods: Required value: must populate information for the given metric source'],
      ],
      [
        'two sources',
        { metrics: [{ ...CPU, pods: { metric: { name: 'p' }, target: { type: 'AverageValue', averageValue: '1' } } }] },
        ['spec.metrics[0].pods: Forbidden: must populate the given metric source only'],
      ],
      [
        'a resource without target',
        { metrics: [{ type: 'Resource', resource: {} }] },
        [
          'spec.metrics[0].resource.name: Required value: must specify a resource name',
          'spec.metrics[0].resource.target.type: Required value: must specify a metric target type',
          'spec.metrics[0].resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
          'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
        ],
      ],
      [
        'values that are not positive',
        {
          metrics: [
            {
              type: 'External',
              external: { metric: {}, target: { type: 'Value', value: '0', averageUtilization: 0 } },
            },
          ],
        },
        [
          'spec.metrics[0].external.metric.name: Required value: must specify a metric name',
          'spec.metrics[0].external.target.value: Invalid value: "0": must be positive',
          'spec.metrics[0].external.target.averageUtilization: Invalid value: 0: must be greater than 0',
        ],
      ],
      [
        'odd rules',
        {
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 3601,
              selectPolicy: 'Any',
              policies: [{ type: 'Nodes', value: 0, periodSeconds: 1801 }],
            },
          },
        },
        [
          'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
          'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Any": supported values: "Disabled", "Max", "Min"',
          'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"',
          'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
          'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
        ],
      ],
    ];
    for (const [name, spec, expected] of cases) it(`refuses ${name}`, () => assert.deepEqual(errorsOf(spec), expected));

    it('lets an autoscaler that scales to zero continue', () => {
      const old = stored(autoscaler, V2, body());
      const external = { type: 'External', external: { metric: { name: 'e' }, target: { type: 'Value', value: '7' } } };
      const change = (h: { spec: object }) => Object.assign(h.spec, { minReplicas: 0, metrics: [external] });
      assert.equal(update(autoscaler, V2, old, change).texts.length, 1);
      old.spec.minReplicas = 0;
      assert.deepEqual(update(autoscaler, V2, old, change).texts, []);
    });

    it('names a bad label three times, and checks the status', () => {
      const old = stored(autoscaler, V1, body());
      assert.equal(
        update(autoscaler, V1, old, (h) => {
          h.metadata.labels = { 'bad key!': 'x' };
        }).texts.length,
        3,
      );
      assert.deepEqual(
        update(
          autoscaler,
          V1,
          old,
          (h) => {
            h.status.desiredReplicas = -1;
          },
          { subresource: 'status' },
        ).texts,
        ['status.desiredReplicas: Invalid value: -1: must be greater than or equal to 0'],
      );
    });
  });

  describe('row', () => {
    it('shows targets and measured values', () => {
      const { object } = create(autoscaler, V2, body({ metrics: EVERY_KIND }));
      assert.deepEqual(cells(autoscaler, object), [
        'h',
        'Deployment/d',
        'memory: <unknown>/1Gi, <unknown>/5 + 6 more...',
        '1',
        5,
        0,
        '0s',
      ]);
      object.spec.metrics = EVERY_KIND.slice(2, 4);
      object.status.currentMetrics = [
        { type: 'Object', object: { current: { averageValue: '1' } } },
        { type: 'Pods', pods: { current: { averageValue: '2' } } },
      ];
      assert.equal(cells(autoscaler, object)[2], '1/500m (avg), 2/3');
      object.spec.metrics = [CPU];
      object.status.currentMetrics = [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 12 } } },
      ];
      assert.equal(cells(autoscaler, object)[2], 'cpu: 12%/60%');
      object.spec.metrics = [EVERY_KIND[6], MEMORY];
      assert.equal(cells(autoscaler, object)[2], 'cpu: <unknown>/5%, memory: <unknown>/1Gi');
    });
  });
});

function sorted(metrics: object[]): string[] {
  return metrics.map((metric) => JSON.stringify(metric)).sort();
}

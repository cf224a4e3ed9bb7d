import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { resourceQuota } from './resource-quota.ts';

function quota(spec: object): object {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec };
}

function causes(spec: object): string[] {
  return create(resourceQuota, 'v1', quota(spec)).texts;
}

describe('resourcequotas', () => {
  it('counts in thousandths', () => {
    const hard = {
      'requests.memory': '1n',
      'count/secrets': '50',
      'requests.example.com/gpu': '2',
      'hugepages-2Mi': '4Mi',
    };
    const created = create(resourceQuota, 'v1', quota({ hard }));
    assert.deepEqual(created.texts, []);
    assert.deepEqual(created.as('v1').spec.hard, { ...hard, 'requests.memory': '1m' });
    assert.deepEqual(created.as('v1').status, {});
    assert.deepEqual(cells(resourceQuota, created.object), ['q', '', '', '0s']);
  });

  it('prints what is used of what', () => {
    const { object } = create(resourceQuota, 'v1', quota({}));
    object.status = { hard: { pods: '3', 'limits.cpu': '2', cpu: '1' }, used: { pods: '1', 'limits.cpu': '500m' } };
    assert.deepEqual(cells(resourceQuota, object), ['q', 'cpu: 0/1, pods: 1/3', 'limits.cpu: 500m/2', '0s']);
  });

  it('checks names and amounts', () => {
    assert.deepEqual(causes({ hard: { nope: '1', pods: '-1', storage: '1' } }), [
      'spec.hard[nope]: Invalid value: "nope": must be a standard resource type or fully qualified',
      'spec.hard[nope]: Invalid value: "nope": must be a standard resource for quota',
      'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
    ]);
    assert.equal(causes({ hard: { pods: '1500m' } }).length, 1);
  });

  it('checks scopes', () => {
    assert.deepEqual(causes({ hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'Own'] }), [
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Own"]: unsupported scope',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Own"]: conflicting scopes',
    ]);
    assert.deepEqual(causes({ hard: { cpu: '1' }, scopes: ['BestEffort'] }), [
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ]);
  });

  it('checks scope selectors', () => {
    const selector = (...matchExpressions: object[]): object => ({
      hard: { pods: '1' },
      scopeSelector: { matchExpressions },
    });
    assert.deepEqual(
      causes(
        selector(
          { scopeName: 'PriorityClass', operator: 'In', values: ['high'] },
          { scopeName: 'Terminating', operator: 'Exists' },
        ),
      ),
      [],
    );
    const path = 'spec.scopeSelector.matchExpressions';
    assert.deepEqual(causes(selector({ scopeName: 'Own', operator: 'In' })), [
      `${path}.scopeName: Invalid value: "Own": unsupported scope`,
      `${path}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
    ]);
    assert.deepEqual(
      causes(
        selector(
          { scopeName: 'PriorityClass', operator: 'Is' },
          { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
        ),
      ),
      [
        `${path}.operator: Invalid value: "Is": not a valid selector operator`,
        `${path}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
      ],
    );
    assert.match(
      causes(selector({ scopeName: 'BestEffort', operator: 'In', values: ['a'] }))[0]!,
      /^spec\.scopeSelector\.matchExpressions\.operator: Invalid value: "In": must be 'Exist' when/,
    );
    assert.deepEqual(
      causes({
        hard: { services: '1' },
        scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'Exists' }] },
      }),
      [
        `${path}: Invalid value: {"MatchExpressions":[{"ScopeName":"Terminating","Operator":"Exists","Values":null}]}: unsupported scope applied to resource`,
      ],
    );
  });

  it('keeps its scopes', () => {
    const { object } = create(
      resourceQuota,
      'v1',
      quota({ hard: { pods: '1' }, scopes: ['Terminating', 'BestEffort'] }),
    );
    object.metadata.resourceVersion = '1';
    assert.deepEqual(
      update(resourceQuota, 'v1', object, (o) => void (o.spec.scopes = ['BestEffort', 'Terminating'])).texts,
      [],
    );
    assert.deepEqual(update(resourceQuota, 'v1', object, (o) => void delete o.spec.scopes).texts, [
      'spec.scopes: Invalid value: null: field is immutable',
    ]);
    assert.equal(
      update(resourceQuota, 'v1', object, (o) => void (o.metadata.labels = { 'bad key!': '' })).texts.length,
      3,
    );
  });

  it('drops usage that was counted by another scope selector', () => {
    const selecting = (name: string): object => ({
      hard: { pods: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [name] }] },
    });
    const { object } = create(resourceQuota, 'v1', quota(selecting('high')));
    object.status = { hard: { pods: '1' }, used: { pods: '1' } };
    const statusWith = (spec: object): object =>
      update(resourceQuota, 'v1', object, (o) => void (o.spec = spec)).object.status;
    assert.deepEqual(statusWith({ ...selecting('high'), hard: { pods: '2' } }), {
      hard: { pods: '1' },
      used: { pods: '1' },
    });
    assert.deepEqual([statusWith(selecting('low')), statusWith({ hard: { pods: '1' } })], [{}, {}]);
    assert.deepEqual(object.status, { hard: { pods: '1' }, used: { pods: '1' } });
  });

  it('splits spec and status', () => {
    const { object } = create(resourceQuota, 'v1', quota({ hard: { pods: '1' } }));
    object.metadata.resourceVersion = '1';
    const change = (o: Record<string, unknown>): void => {
      o.spec = { hard: { pods: '2' } };
      o.status = { hard: { pods: '1' }, used: { pods: '-1' } };
    };
    const plain = update(resourceQuota, 'v1', object, change);
    assert.deepEqual([plain.as('v1').spec, plain.as('v1').status], [{ hard: { pods: '2' } }, {}]);
    const status = update(resourceQuota, 'v1', object, change, { subresource: 'status' });
    assert.deepEqual(status.texts, ['status.used[pods]: Invalid value: "-1": must be greater than or equal to 0']);
    assert.deepEqual(status.object.spec, { hard: { pods: '1' } });
  });
});

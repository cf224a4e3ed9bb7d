import assert from 'node:assert/strict';
import { cells, create, update } from '../../kind-testing.ts';
import { stored } from '../../stored-for-test.ts';
import { apiService } from './api-service.ts';

const V1 = 'apiregistration.k8s.io/v1';
const spec = { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 };
const metadata = { name: 'v1.a.example.com' };
const problems = (change: object, name = metadata.name): string[] =>
  create(apiService, V1, { metadata: { name }, spec: { ...spec, ...change } }).texts;

describe('API service', () => {
  it('is available at once when it is local', () => {
    const object = stored(apiService, V1, { metadata, spec });
    assert.deepEqual(object.status.conditions, [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: '2026-01-02T03:04:05Z',
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ]);
    assert.deepEqual(cells(apiService, object), ['v1.a.example.com', 'Local', 'True', '0s']);
  });

  it('is unknown at first when it is a service', () => {
    const object = stored(apiService, 'apiregistration.k8s.io/v1beta1', {
      metadata,
      spec: { ...spec, service: { name: 's', namespace: 'n' } },
    });
    assert.equal(object.spec.service.port, 443);
    assert.deepEqual(cells(apiService, object).slice(1, 3), ['n/s', 'Unknown']);
    const { object: labeled } = update(
      apiService,
      V1,
      object,
      (s) => Object.assign(s.metadata, { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['example.com/f'] }),
      { subresource: 'status' },
    );
    assert.deepEqual(
      [labeled.metadata.labels, labeled.metadata.annotations, labeled.metadata.finalizers],
      [object.metadata.labels, object.metadata.annotations, object.metadata.finalizers],
    );
    const { object: failed } = update(
      apiService,
      V1,
      object,
      (s) => (s.status.conditions = [{ type: 'Available', status: 'False', reason: 'NoEndpoints' }]),
      { subresource: 'status' },
    );
    assert.equal(cells(apiService, failed)[2], 'False (NoEndpoints)');
    assert.deepEqual(
      update(apiService, V1, object, (s) => (s.status.conditions = [{ type: 'A', status: 'x' }]), {
        subresource: 'status',
      }).texts,
      ['status.conditions[0].status: Unsupported value: "x": supported values: "True", "False", "Unknown"'],
    );
  });

  it('is available at once when it becomes local', () => {
    const object = stored(apiService, V1, { metadata, spec: { ...spec, service: { name: 's', namespace: 'n' } } });
    const local = update(apiService, V1, object, (s) => delete s.spec.service);
    assert.deepEqual(local.texts, []);
    assert.deepEqual(cells(apiService, local.object).slice(1, 3), ['Local', 'True']);
  });

  it('is named by version and group', () => {
    assert.deepEqual(problems({}, 'x'), [
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.a.example.com"',
    ]);
    assert.deepEqual(problems({ group: '' }, 'v1.'), []);
    assert.deepEqual(problems({ group: '', version: 'v2' }, 'v2.'), [
      'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
    ]);
  });

  it('refuses odd priorities and doubtful trust', () => {
    assert.deepEqual(problems({ groupPriorityMinimum: 0, versionPriority: 1001 }), [
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
    ]);
    assert.deepEqual(problems({ caBundle: 'AQID', insecureSkipTLSVerify: true }), [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ]);
    assert.deepEqual(problems({ service: { port: 0 }, caBundle: 'AQID', insecureSkipTLSVerify: true }), [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ]);
  });
});

import assert from 'node:assert/strict';
import { Scheme } from '../../api/scheme.ts';
import { withEnabledVersions } from '../documents/enabled-resources.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { messageOf } from '../../codec/messages.ts';
import { decodeEnvelope } from '../../codec/protobuf/envelope.ts';
import { decodeProtobuf } from '../../codec/protobuf/protobuf-codec.ts';
import type { DocumentAnswer } from '../documents/document-answer.ts';
import { sampleResources, sampleScheme } from '../documents/testing.ts';
import { servedResources } from '../documents/served-resources.ts';
import { DiscoveryDocuments } from './discovery-documents.ts';

const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('discovery documents', () => {
  const documents = new DiscoveryDocuments({
    resources: sampleResources,
    serverAddress: { hostPort: '192.0.2.2:6443' },
  });
  const get = (path: string, accept?: string): DocumentAnswer => {
    const answer = documents.answer({ path, ...(accept === undefined ? {} : { accept }) });
    assert.ok(answer, path);
    return answer;
  };
  const text = (path: string, accept?: string): string => Buffer.from(get(path, accept).body).toString();
  const json = (path: string, accept?: string): any => JSON.parse(text(path, accept));

  it('names the versions of the core group', () => {
    const expected = {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.2:6443' }],
    };
    assert.deepEqual(json('/api'), expected);
    assert.deepEqual(json('/api/'), expected);
    assert.equal(
      text('/api', 'application/yaml'),
      'kind: APIVersions\nserverAddressByClientCIDRs:\n- clientCIDR: 0.0.0.0/0\n  serverAddress: 192.0.2.2:6443\nversions:\n- v1\n',
    );
  });

  it('lists groups and versions by preference', () => {
    const list = json('/apis');
    assert.equal(list.kind, 'APIGroupList');
    assert.equal(list.apiVersion, 'v1');
    assert.deepEqual(
      list.groups.map((g: any) => [g.name, ...g.versions.map((v: any) => v.version)]),
      [
        ['apps', 'v1', 'v1beta1'],
        ['authentication.k8s.io', 'v1', 'v1beta1'],
        ['authorization.k8s.io', 'v1', 'v1beta1'],
        ['autoscaling', 'v2', 'v1', 'v2beta1'],
        ['batch', 'v1', 'v1beta1'],
        ['extensions', 'v1beta1'],
        ['apiextensions.k8s.io', 'v1'],
      ],
    );
    assert.deepEqual(list.groups[3].preferredVersion, { groupVersion: 'autoscaling/v2', version: 'v2' });
  });

  it('describes one group; the oldest ones without apiVersion', () => {
    assert.deepEqual(json('/apis/apps'), {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [
        { groupVersion: 'apps/v1', version: 'v1' },
        { groupVersion: 'apps/v1beta1', version: 'v1beta1' },
      ],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    assert.equal('apiVersion' in json('/apis/extensions'), false);
  });

  it('lists the resources of a version', () => {
    const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
    const some = ['get', 'patch', 'update'];
    assert.deepEqual(json('/apis/apps/v1'), {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'apps/v1',
      resources: [
        {
          name: 'deployments',
          singularName: 'deployment',
          namespaced: true,
          kind: 'Deployment',
          verbs: all,
          shortNames: ['deploy'],
          categories: ['all'],
          storageVersionHash: '8aSe+NMegvE=',
        },
        {
          name: 'deployments/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: some,
        },
        { name: 'deployments/status', singularName: '', namespaced: true, kind: 'Deployment', verbs: some },
      ],
    });
  });

  it('gives older versions their own Scale and the hash of the stored version', () => {
    const { apiVersion, resources } = json('/apis/extensions/v1beta1');
    assert.equal(apiVersion, undefined);
    assert.deepEqual(
      resources.map((r: any) => [r.name, r.group, r.version, r.storageVersionHash]),
      [
        ['deployments', undefined, undefined, '8aSe+NMegvE='],
        ['deployments/scale', 'extensions', 'v1beta1', undefined],
        ['deployments/status', undefined, undefined, undefined],
      ],
    );
  });

  it('keeps short names and categories to the group that a kind moved to', () => {
    const [old] = json('/apis/extensions/v1beta1').resources;
    assert.deepEqual([old.shortNames, old.categories], [undefined, undefined]);
    const [beta] = json('/apis/apps/v1beta1').resources;
    assert.deepEqual([beta.shortNames, beta.categories], [['deploy'], ['all']]);
  });

  it('lists the core resources in the order of their paths', () => {
    const { apiVersion, groupVersion, resources } = json('/api/v1');
    assert.equal(apiVersion, undefined);
    assert.equal(groupVersion, 'v1');
    assert.deepEqual(
      resources.map((r: any) => [r.name, r.kind, r.group]),
      [
        ['configmaps', 'ConfigMap', undefined],
        ['namespaces', 'Namespace', undefined],
        ['pods', 'Pod', undefined],
        ['pods/binding', 'Binding', undefined],
        ['pods/eviction', 'Eviction', 'policy'],
        ['pods/exec', 'PodExecOptions', undefined],
        ['pods/log', 'Pod', undefined],
        ['pods/proxy', 'PodProxyOptions', undefined],
        ['pods/status', 'Pod', undefined],
        ['podtemplates', 'PodTemplate', undefined],
        ['services', 'Service', undefined],
        ['services/status', 'Service', undefined],
      ],
    );
  });

  it('lists reviews as creatable and not stored', () => {
    const { resources } = json('/apis/authorization.k8s.io/v1');
    assert.deepEqual(
      resources.map((r: any) => [r.name, r.namespaced, r.verbs.join(), r.storageVersionHash]),
      [
        ['localsubjectaccessreviews', true, 'create', undefined],
        ['selfsubjectaccessreviews', false, 'create', undefined],
        ['selfsubjectrulesreviews', false, 'create', undefined],
        ['subjectaccessreviews', false, 'create', undefined],
      ],
    );
  });

  it('gives everything in one document on request', () => {
    const answer = get(
      '/apis',
      `${v2},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`,
    );
    assert.equal(answer.contentType, v2);
    const list = JSON.parse(Buffer.from(answer.body).toString());
    assert.equal(list.apiVersion, 'apidiscovery.k8s.io/v2');
    assert.deepEqual(list.items.map((g: any) => g.metadata.name)[0], 'apps');
    const [deployments] = list.items[0].versions[0].resources;
    assert.equal(deployments.singularResource, 'deployment');
    assert.equal(deployments.scope, 'Namespaced');
    assert.deepEqual(deployments.responseKind, { group: '', version: '', kind: 'Deployment' });
    assert.deepEqual(deployments.subresources[0], {
      subresource: 'scale',
      responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      verbs: ['get', 'patch', 'update'],
    });
    const core = json('/api', 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList');
    assert.equal(core.apiVersion, 'apidiscovery.k8s.io/v2beta1');
    assert.equal(core.items.length, 1);
    assert.equal(core.items[0].versions[0].version, 'v1');
  });

  it('answers 304 to the tag of the aggregated form', () => {
    const { etag } = get('/apis', v2);
    assert.match(etag!, /^"[0-9A-F]{128}"$/);
    const again = documents.answer({ path: '/apis', accept: v2, ifNoneMatch: `"other", W/${etag}` })!;
    assert.equal(again.status, 304);
    assert.equal(again.body.length, 0);
    assert.equal(again.headers['etag'], etag);
    assert.equal(documents.answer({ path: '/apis', accept: v2, ifNoneMatch: '"other"' })!.status, 200);
  });

  it('falls back where the aggregated form is not offered', () => {
    assert.equal(get('/apis/apps', `${v2},application/json`).contentType, 'application/json');
    assert.equal(
      get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,*/*').contentType,
      'application/json',
    );
    assert.throws(
      () => documents.answer({ path: '/apis/apps', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
      StatusError,
    );
    assert.throws(
      () => documents.answer({ path: '/apis', accept: 'text/html' }),
      (e: StatusError) =>
        e.status.code === 406 &&
        e.status.message ===
          'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });

  it('has the same content in protobuf', () => {
    const rows: [path: string, message: string, accept: string][] = [
      ['/api', 'meta/v1.APIVersions', 'application/json'],
      ['/apis', 'meta/v1.APIGroupList', 'application/json'],
      ['/apis/apps', 'meta/v1.APIGroup', 'application/json'],
      ['/api/v1', 'meta/v1.APIResourceList', 'application/json'],
      ['/apis/apps/v1', 'meta/v1.APIResourceList', 'application/json'],
      ['/apis', 'apidiscovery/v2.APIGroupDiscoveryList', v2],
      ['/api', 'apidiscovery/v2beta1.APIGroupDiscoveryList', v2.replace('v=v2', 'v=v2beta1')],
    ];
    for (const [path, message, accept] of rows) {
      const answer = get(path, accept.replace('application/json', 'application/vnd.kubernetes.protobuf'));
      const envelope = decodeEnvelope(answer.body);
      const expected = json(path, accept);
      assert.equal(envelope.kind, expected.kind);
      assert.equal(envelope.apiVersion, expected.apiVersion ?? '');
      const decoded = decodeProtobuf(messageOf(message), envelope.raw, envelope.apiVersion, envelope.kind);
      assert.deepEqual(JSON.parse(JSON.stringify(decoded)), { apiVersion: '', ...expected }, path);
    }
  });

  it('knows no other paths', () => {
    for (const path of [
      '/',
      '/api/v2',
      '/api/v1/pods',
      '/apis/',
      '/apis//v1',
      '/apis/none',
      '/apis/apps/v7',
      '/apis/batch/v2alpha1',
      '/apis/apps/v1/deployments',
      '/apisx',
      'apis',
    ]) {
      assert.equal(documents.answer({ path })?.status, path === '/apis/' ? 200 : undefined, path);
    }
  });

  it('leaves out what is not enabled, and follows changes', () => {
    const changing = new DiscoveryDocuments({ resources: sampleResources, serverAddress: { hostPort: 'host:1' } });
    assert.ok(changing.answer({ path: '/apis/apps/v1beta1' }));
    changing.update(
      servedResources(
        new Scheme(withEnabledVersions(sampleScheme.resources, (groupVersion) => groupVersion !== 'apps/v1beta1')),
      ),
      new Set(['apps']),
    );
    assert.equal(changing.answer({ path: '/apis/apps/v1beta1' }), undefined);
    assert.deepEqual(JSON.parse(Buffer.from(changing.answer({ path: '/apis/apps' })!.body).toString()).versions, [
      { groupVersion: 'apps/v1', version: 'v1' },
    ]);
  });

  it('indents on request', () => {
    const pretty = documents.answer({ path: '/apis/apps', pretty: true })!;
    assert.match(Buffer.from(pretty.body).toString(), /^\{\n {2}"kind": "APIGroup",\n/);
  });
});

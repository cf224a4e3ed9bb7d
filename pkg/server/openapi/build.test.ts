import assert from 'node:assert/strict';
import { cronTabs } from '../../../test/fixtures/cron-tabs.ts';
import { Scheme } from '../../api/scheme.ts';
import { type ServedResource, servedResources } from '../documents/served-resources.ts';
import { sampleResources } from '../documents/testing.ts';
import { buildOpenApi } from './build.ts';
import { v3DocumentNames } from './document-names.ts';
import { decodeV2, decodeV3 } from './gnostic-testing.ts';
import { V2Document } from './v2-document.ts';
import { buildV2Parts } from './v2-parts.ts';

// `any`: documents are walked as plain JSON.
type Json = any;

const info = { title: 'Binnacle', version: 'v0.1.0' };
const apps = 'io.k8s.api.apps.v1';
const core = 'io.k8s.api.core.v1';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

async function build(
  format: 'json' | 'protobuf',
  v3Document?: string,
  resources: readonly ServedResource[] = sampleResources,
): Promise<Uint8Array> {
  return v3Document === undefined
    ? new V2Document({ info, format, build: buildV2Parts }).bytes(() => resources)
    : buildOpenApi({ resources, info, format, v3Document });
}

const parse = (bytes: Uint8Array): Json => JSON.parse(Buffer.from(bytes).toString());

function visit(value: Json, see: (object: Json) => void): void {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) see(value);
  for (const child of Object.values(value)) visit(child, see);
}

function references(document: Json): string[] {
  const found: string[] = [];
  visit(document, (object) => {
    if (typeof object.$ref === 'string') found.push(object.$ref);
  });
  return found;
}

function operations(document: Json): { path: string; item: Json; method: string; operation: Json }[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, item, method, operation })),
  );
}

describe('OpenAPI v2', () => {
  let document: Json;
  before(async () => {
    document = parse(await build('json'));
  });

  it('resolves every reference', () => {
    const names = new Set(Object.keys(document.definitions).map((name) => `#/definitions/${name}`));
    const refs = references(document);
    assert.ok(refs.length > 500);
    assert.deepEqual(
      refs.filter((r) => !names.has(r)),
      [],
    );
    const used = new Set(refs);
    assert.deepEqual(
      [...names].filter((n) => !used.has(n)),
      [],
      'no definition without use',
    );
  });

  it('gives every operation an id of its own and every path parameter a declaration', () => {
    const all = operations(document);
    const ids = all.map((o) => o.operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const { path, item, operation } of all) {
      const declared = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      const inPath = declared
        .filter((p: Json) => p.in === 'path')
        .map((p: Json) => p.name)
        .sort();
      assert.deepEqual(inPath, [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort(), path);
      const names = declared.map((p: Json) => `${p.in} ${p.name}`);
      assert.equal(new Set(names).size, names.length, `${path}: ${names.join()}`);
    }
  });

  it('names the kind of every object and list', () => {
    for (const resource of sampleResources) {
      const gvk = { group: resource.group, kind: resource.kind, version: resource.version };
      const own = Object.values<Json>(document.definitions).filter((d) =>
        d['x-kubernetes-group-version-kind']?.some((k: Json) => JSON.stringify(k) === JSON.stringify(gvk)),
      );
      assert.equal(own.length, 1, JSON.stringify(gvk));
    }
    assert.deepEqual(document.definitions[`${apps}.DeploymentList`]['x-kubernetes-group-version-kind'], [
      { group: 'apps', kind: 'DeploymentList', version: 'v1' },
    ]);
    assert.deepEqual(document.definitions[`${meta}.Status`]['x-kubernetes-group-version-kind'], [
      { group: '', kind: 'Status', version: 'v1' },
    ]);
    const deletions: Json[] = document.definitions[`${meta}.DeleteOptions`]['x-kubernetes-group-version-kind'];
    assert.deepEqual(
      deletions.filter((k) => k.group === 'apps'),
      ['v1', 'v1beta1'].map((version) => ({ group: 'apps', kind: 'DeleteOptions', version })),
    );
    assert.equal(document.definitions[`${core}.PodSpec`]['x-kubernetes-group-version-kind'], undefined);
  });

  it('tells types, requirements, defaults, constants and how patches merge', () => {
    const container = document.definitions[`${core}.Container`];
    assert.deepEqual(container.required, ['name']);
    const { ports, env, imagePullPolicy, resources } = container.properties;
    assert.equal(ports.type, 'array');
    assert.deepEqual(ports.items, { $ref: `#/definitions/${core}.ContainerPort` });
    assert.equal(ports['x-kubernetes-patch-strategy'], 'merge');
    assert.equal(ports['x-kubernetes-patch-merge-key'], 'containerPort');
    assert.equal(ports['x-kubernetes-list-type'], 'map');
    assert.deepEqual(ports['x-kubernetes-list-map-keys'], ['containerPort', 'protocol']);
    assert.equal(env['x-kubernetes-patch-merge-key'], 'name');
    assert.deepEqual(imagePullPolicy.enum, ['Always', 'IfNotPresent', 'Never']);
    assert.equal(resources.$ref, `#/definitions/${core}.ResourceRequirements`);
    const port = document.definitions[`${core}.ContainerPort`].properties;
    assert.equal(port.protocol.default, 'TCP');
    assert.deepEqual([port.containerPort.type, port.containerPort.format], ['integer', 'int32']);
    assert.equal(document.definitions[`${core}.ServiceSpec`].properties.selector['x-kubernetes-map-type'], 'atomic');
    assert.equal(document.definitions[`${meta}.LabelSelector`]['x-kubernetes-map-type'], 'atomic');
    assert.equal(
      document.definitions[`${core}.ResourceRequirements`].properties.limits.additionalProperties.$ref,
      '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity',
    );
  });

  it('leaves sets of names that others extend without constants', () => {
    assert.equal(document.definitions[`${apps}.DeploymentCondition`].properties.type.enum, undefined);
    assert.deepEqual(document.definitions[`${core}.ServiceSpec`].properties.type.enum, [
      'ClusterIP',
      'ExternalName',
      'LoadBalancer',
      'NodePort',
    ]);
  });

  it('knows the special types', () => {
    const rows: [name: string, type: string | undefined, format: string | undefined][] = [
      [`${meta}.Time`, 'string', 'date-time'],
      [`${meta}.FieldsV1`, 'object', undefined],
      ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'string', 'int-or-string'],
      ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'string', undefined],
      ['io.k8s.apimachinery.pkg.runtime.RawExtension', 'object', undefined],
      ['io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray', undefined, undefined],
    ];
    for (const [name, type, format] of rows) {
      assert.deepEqual([document.definitions[name].type, document.definitions[name].format], [type, format], name);
    }
    assert.equal(document.definitions[`${core}.ConfigMap`].properties.binaryData.additionalProperties.format, 'byte');
  });

  it('describes kinds and fields in whole sentences', () => {
    for (const [type, field] of [
      [`${core}.Pod`, 'spec'],
      [`${apps}.DeploymentSpec`, 'replicas'],
      [`${meta}.ObjectMeta`, 'labels'],
      [`${core}.ConfigMap`, 'data'],
    ] as const) {
      const { description, properties } = document.definitions[type];
      assert.ok(description.length > 10, type);
      assert.ok(properties[field].description.length > 10, `${type}.${field}`);
      assert.ok(properties.kind === undefined || properties.kind.description.length > 10);
    }
    visit(document, (object) => {
      if (typeof object.description === 'string') assert.doesNotMatch(object.description, /\w\n\w/);
    });
  });

  it('has the operations of a resource', () => {
    const expected: [path: string, method: string, id: string, action: string][] = [
      ['/apis/apps/v1/deployments', 'get', 'listAppsV1DeploymentForAllNamespaces', 'list'],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments',
        'delete',
        'deleteAppsV1CollectionNamespacedDeployment',
        'deletecollection',
      ],
      ['/apis/apps/v1/namespaces/{namespace}/deployments', 'get', 'listAppsV1NamespacedDeployment', 'list'],
      ['/apis/apps/v1/namespaces/{namespace}/deployments', 'post', 'createAppsV1NamespacedDeployment', 'post'],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
        'delete',
        'deleteAppsV1NamespacedDeployment',
        'delete',
      ],
      ['/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'get', 'readAppsV1NamespacedDeployment', 'get'],
      ['/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch', 'patchAppsV1NamespacedDeployment', 'patch'],
      ['/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'put', 'replaceAppsV1NamespacedDeployment', 'put'],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
        'get',
        'readAppsV1NamespacedDeploymentScale',
        'get',
      ],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
        'patch',
        'patchAppsV1NamespacedDeploymentScale',
        'patch',
      ],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
        'put',
        'replaceAppsV1NamespacedDeploymentScale',
        'put',
      ],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status',
        'get',
        'readAppsV1NamespacedDeploymentStatus',
        'get',
      ],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status',
        'patch',
        'patchAppsV1NamespacedDeploymentStatus',
        'patch',
      ],
      [
        '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status',
        'put',
        'replaceAppsV1NamespacedDeploymentStatus',
        'put',
      ],
      ['/apis/apps/v1/watch/deployments', 'get', 'watchAppsV1DeploymentListForAllNamespaces', 'watchlist'],
      [
        '/apis/apps/v1/watch/namespaces/{namespace}/deployments',
        'get',
        'watchAppsV1NamespacedDeploymentList',
        'watchlist',
      ],
      [
        '/apis/apps/v1/watch/namespaces/{namespace}/deployments/{name}',
        'get',
        'watchAppsV1NamespacedDeployment',
        'watch',
      ],
    ];
    const found = operations(document).filter(
      (o) => o.path.startsWith('/apis/apps/v1/') && o.path.includes('deployments'),
    );
    assert.deepEqual(
      found.map((o) => [o.path, o.method, o.operation.operationId, o.operation['x-kubernetes-action']]).sort(),
      expected.sort(),
    );
    const scale = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale'].put;
    assert.deepEqual(scale['x-kubernetes-group-version-kind'], { group: 'autoscaling', kind: 'Scale', version: 'v1' });
    assert.equal(scale.responses['200'].schema.$ref, '#/definitions/io.k8s.api.autoscaling.v1.Scale');
    const create = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments'].post;
    assert.deepEqual(create['x-kubernetes-group-version-kind'], { group: 'apps', kind: 'Deployment', version: 'v1' });
    assert.deepEqual(Object.keys(create.responses), ['200', '201', '202', '401']);
    assert.deepEqual(create.tags, ['apps_v1']);
  });

  it('tells clients which parameters a patch takes', () => {
    const { patch } = document.paths['/api/v1/namespaces/{namespace}/pods/{name}'];
    const names = patch.parameters.filter((p: Json) => p.in === 'query').map((p: Json) => p.name);
    assert.deepEqual(names, ['dryRun', 'force', 'fieldManager', 'fieldValidation']);
  });

  it('has streams, proxies, logs and subresources of other kinds', () => {
    const pod = '/api/v1/namespaces/{namespace}/pods/{name}';
    const exec = document.paths[`${pod}/exec`];
    assert.deepEqual(Object.keys(exec).sort(), ['get', 'parameters', 'post']);
    assert.equal(exec.get.operationId, 'connectCoreV1GetNamespacedPodExec');
    assert.ok(exec.parameters.some((p: Json) => p.name === 'stdin' && p.in === 'query'));
    assert.equal(document.paths[`${pod}/proxy/{path}`].head.operationId, 'connectCoreV1HeadNamespacedPodProxyWithPath');
    assert.deepEqual(document.paths[`${pod}/log`].get.responses['200'].schema, { type: 'string' });
    assert.deepEqual(document.paths[`${pod}/log`].get['x-kubernetes-group-version-kind'], {
      group: '',
      kind: 'Pod',
      version: 'v1',
    });
    assert.equal(
      document.paths[`${pod}/eviction`].post.parameters[0].schema.$ref,
      '#/definitions/io.k8s.api.policy.v1.Eviction',
    );
    assert.equal(document.paths[`${pod}/binding`].post.operationId, 'createCoreV1NamespacedPodBinding');
  });

  it('offers of reviews nothing but their creation', () => {
    const reviews = operations(document).filter((o) => o.path.includes('accessreviews'));
    assert.deepEqual([...new Set(reviews.map((o) => o.method))], ['post']);
    assert.equal(
      document.paths['/apis/authorization.k8s.io/v1/subjectaccessreviews'].post.operationId,
      'createAuthorizationV1SubjectAccessReview',
    );
  });

  it('says the same in protobuf', async () => {
    assert.deepEqual(decodeV2(await build('protobuf')), document);
  });
});

describe('OpenAPI v3', () => {
  it('has a document for each group version, group and root', () => {
    const names = v3DocumentNames(sampleResources);
    for (const name of [
      'api',
      'api/v1',
      'apis',
      'apis/apps',
      'apis/apps/v1',
      'apis/extensions/v1beta1',
      'apis/authorization.k8s.io/v1',
      'version',
    ]) {
      assert.ok(names.includes(name), name);
    }
    assert.equal(names.includes('apis/'), false);
  });

  it('resolves every reference within its document, and covers the paths of v2', async () => {
    const paths = new Set<string>();
    for (const name of v3DocumentNames(sampleResources)) {
      const document = parse(await build('json', name));
      const names = new Set(Object.keys(document.components.schemas).map((n) => `#/components/schemas/${n}`));
      assert.deepEqual(
        references(document).filter((r) => !names.has(r)),
        [],
        name,
      );
      for (const path of Object.keys(document.paths)) {
        assert.equal(paths.has(path), false, `${path} stands in two documents`);
        paths.add(path);
      }
    }
    const v2 = parse(await build('json'));
    assert.deepEqual([...paths].sort(), Object.keys(v2.paths).sort());
  });

  it('wraps references and tells zero values', async () => {
    const { components } = parse(await build('json', 'apis/apps/v1'));
    const { schemas } = components;
    assert.deepEqual(schemas[`${apps}.Deployment`].properties.spec.allOf, [
      { $ref: `#/components/schemas/${apps}.DeploymentSpec` },
    ]);
    assert.deepEqual(schemas[`${apps}.Deployment`].properties.spec.default, {});
    const { selector } = schemas[`${apps}.DeploymentSpec`].properties;
    assert.equal('default' in selector, false, 'a pointer has no zero');
    assert.equal(schemas[`${core}.Container`].properties.name.default, '');
    assert.deepEqual(schemas[`${core}.Container`].properties.command.items, { type: 'string', default: '' });
    assert.deepEqual(schemas['io.k8s.apimachinery.pkg.util.intstr.IntOrString'].oneOf, [
      { type: 'integer' },
      { type: 'string' },
    ]);
  });

  it('puts bodies and answers under their media types', async () => {
    const { paths } = parse(await build('json', 'apis/apps/v1'));
    const { post } = paths['/apis/apps/v1/namespaces/{namespace}/deployments'];
    const schema = { $ref: `#/components/schemas/${apps}.Deployment` };
    assert.deepEqual(post.requestBody, { content: { '*/*': { schema } }, required: true });
    assert.deepEqual(Object.keys(post.responses['201'].content), [
      'application/json',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
    ]);
    assert.deepEqual(post['x-kubernetes-group-version-kind'], { group: 'apps', kind: 'Deployment', version: 'v1' });
    const { patch } = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'];
    assert.deepEqual(Object.keys(patch.requestBody.content), [
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
  });

  it('says the same in protobuf, except for defaults that are objects', async () => {
    for (const name of ['api/v1', 'apis/apps/v1', 'apis/apiextensions.k8s.io/v1', 'version']) {
      const expected = parse(await build('json', name));
      visit(expected, (object) => {
        if (object.default !== null && typeof object.default === 'object' && Object.keys(object.default).length === 0)
          delete object.default;
      });
      assert.deepEqual(decodeV3(await build('protobuf', name)), expected, name);
    }
  });
});

describe('building OpenAPI documents', () => {
  it('is the same every time', async () => {
    assert.deepEqual(await build('protobuf'), await build('protobuf'));
  });
});

describe('OpenAPI of kinds whose schema is data', () => {
  const resources = [...sampleResources, ...servedResources(new Scheme([cronTabs()]))];
  for (const [version, name] of [
    ['v2', undefined],
    ['v3', 'apis/stable.example.com/v1'],
  ] as const) {
    it(`${version} offers neither protobuf nor strategic merge patches of them`, async () => {
      const document = parse(await build('json', name, resources));
      const own = operations(document).filter(({ path }) => path.includes('/crontabs'));
      assert.deepEqual([...new Set(own.map(({ method }) => method))].sort(), ['delete', 'get', 'patch', 'post', 'put']);
      assert.doesNotMatch(JSON.stringify(own), /protobuf|strategic/);
      assert.match(JSON.stringify(own), /merge-patch/);
      assert.match(JSON.stringify(own), /application\/json;stream=watch/);
    });
  }
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allResources } from '../api/all-resources.ts';
import { answerJson, startHttpsService } from '../net/https-service-testing.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import type { OptionValues } from '../options/option.ts';
import { OptionsError } from '../options/options-error.ts';
import { parseOptions } from '../options/parse-options.ts';
import { openRegistry, type Replica, type TestRegistry } from '../registry/registry-testing.ts';
import { asks, person } from './authorization-testing.ts';
import { readAuthorizationConfig } from './authorization-config.ts';
import { buildAuthorizer, type Authorization } from './build-authorizer.ts';
import { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';

const needed = [
  'clusterroles',
  'clusterrolebindings',
  'roles',
  'rolebindings',
  'pods',
  'persistentvolumes',
  'volumeattachments',
  'resourceslices',
  'nodes',
];

describe('buildAuthorizer', () => {
  let registry: TestRegistry;
  let stores: Replica;
  let dir: string;
  let errors: unknown[];
  before(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-authorizer-'));
    registry = openRegistry(
      allResources.filter(({ resource, virtual }) => virtual !== true && needed.includes(resource)),
    );
    stores = await registry.replica();
  });
  beforeEach(() => {
    errors = [];
  });
  after(async () => {
    await registry.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const options = (...args: string[]): OptionValues => parseOptions(apiServerOptions, 'up', args);
  const build = (...args: string[]): Authorization =>
    buildAuthorizer({
      config: readAuthorizationConfig(options(...args)),
      stores,
      observer: { graphChanged: () => undefined, webhookCertificates: new DeprecatedCertificates() },
      onError: (error) => errors.push(error),
    });
  const decide = async ({ authorizer }: Authorization, name: string, ...groups: string[]): Promise<string> => {
    const { decision, reason } = await authorizer.authorize(asks(person(name, ...groups), 'list', 'pods'));
    return decision === 'allow' ? 'allow' : reason;
  };
  const problems = (...args: string[]): readonly string[] => {
    try {
      build(...args);
    } catch (error) {
      assert.ok(error instanceof OptionsError, String(error));
      return error.problems;
    }
    return [];
  };

  it('runs the configured modes, after that for administrators', async () => {
    assert.equal(await decide(build('--authorization-mode=AlwaysAllow'), 'u'), 'allow');
    assert.equal(await decide(build('--authorization-mode=AlwaysDeny'), 'u'), 'Everything is forbidden.');
    assert.equal(await decide(build('--authorization-mode=AlwaysDeny'), 'u', 'system:masters'), 'allow');
    const both = build('--authorization-mode=Node,RBAC');
    assert.equal(await decide(both, 'system:node:n', 'system:nodes'), 'allow');
    assert.equal(await decide(both, 'u'), '');
  });

  it('reads a policy file, and names each of its bad lines', async () => {
    const good = file('policy', '{"user":"alice"}\n');
    const abac = build('--authorization-mode=ABAC', `--authorization-policy-file=${good}`);
    assert.deepEqual([await decide(abac, 'alice'), await decide(abac, 'bob')], ['allow', 'No policy matched.']);
    const bad = file('bad', '{"user":"alice"}\n[]\n{"user":1}\n');
    assert.deepEqual(problems('--authorization-mode=ABAC', `--authorization-policy-file=${bad}`), [
      `--authorization-policy-file=${bad}: line 2: the line must be a JSON object`,
      `--authorization-policy-file=${bad}: line 3: user must be a string`,
    ]);
  });

  it('calls the service of a webhook file, and reports errors of the file', async () => {
    const service = await startHttpsService((_request, response) =>
      answerJson(response, { kind: 'SubjectAccessReview', status: { allowed: true } }),
    );
    try {
      const cluster = { server: service.url, 'certificate-authority-data': Buffer.from(service.ca).toString('base64') };
      const config = (c: object): string =>
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          clusters: [{ name: 'c', cluster: c }],
          users: [{ name: 'u', user: {} }],
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          'current-context': 'x',
        });
      const webhook = build(
        '--authorization-mode=AlwaysDeny,Webhook',
        `--authorization-webhook-config-file=${file('hook', config(cluster))}`,
      );
      assert.equal(await decide(webhook, 'u'), 'allow');
      assert.equal(JSON.parse(service.received[0]!.body).apiVersion, 'authorization.k8s.io/v1beta1');
      const bad = file('hook', config({}));
      const found = problems('--authorization-mode=Webhook', `--authorization-webhook-config-file=${bad}`);
      assert.ok(
        found.length === 1 && found[0]!.startsWith(`--authorization-webhook-config-file=${bad}: `),
        found.join('\n'),
      );
    } finally {
      await service.close();
    }
  });
});

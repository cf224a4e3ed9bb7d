import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyJsonPatch } from '../apimachinery/patch/json-patch.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import type { OptionValues } from '../options/option.ts';
import { OptionsError } from '../options/options-error.ts';
import { parseOptions } from '../options/parse-options.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { storeAccess } from '../registry/store-access.ts';
import { authorizerOf } from './authorizer-testing.ts';
import { readAdmissionConfig } from './admission-config.ts';
import { buildAdmission } from './build-admission.ts';
import { lookupOf } from './plugin-testing.ts';
import { admissionPlugins } from './plugins.ts';
import { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';

describe('buildAdmission', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-admission-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  // Nothing is read before the first request.
  const stores = storeAccess(() => ({ cache: { listen: () => undefined } }) as unknown as ResourceStore);
  const builtBy = (options: OptionValues) =>
    buildAdmission(readAdmissionConfig(options), {
      lookup: lookupOf({}),
      stores,
      authorizer: authorizerOf(() => true),
      nowMs: Date.now,
      applyJsonPatch: async (document, operations) => applyJsonPatch(document, operations),
      onError: () => undefined,
      podSecurityObserver: { podEvaluated: () => undefined, podExempted: () => undefined },
      webhookObserver: {
        webhookCalled: () => undefined,
        webhookRejected: () => undefined,
        webhookFailedOpen: () => undefined,
        webhookCertificates: new DeprecatedCertificates(),
      },
    }).map(({ name }) => name);
  const built = (...args: string[]) =>
    builtBy(parseOptions(apiServerOptions, 'apiserver', ['--store-servers=http://127.0.0.1:1', ...args]));
  const builtWithUp = (...args: string[]) => builtBy(parseOptions(apiServerOptions, 'up', args));
  const rows: readonly { name: string; defaultOn: boolean; defaultOnWith?: string }[] = admissionPlugins;
  const defaults = rows.filter(({ defaultOn }) => defaultOn).map(({ name }) => name);

  it('runs the default plugins, in the order of the table', () => {
    assert.deepEqual(built(), defaults);
    assert.deepEqual(defaults.slice(0, 3), ['NamespaceLifecycle', 'LimitRanger', 'ServiceAccount']);
    assert.equal(defaults.at(-1), 'ResourceQuota');
  });

  it('adds and removes the plugins of options, in any order', () => {
    const names = built(
      '--enable-admission-plugins=AlwaysDeny,NodeRestriction,AlwaysAdmit',
      '--disable-admission-plugins=ResourceQuota,LimitRanger',
    );
    assert.equal(names[0], 'AlwaysAdmit');
    assert.equal(names.at(-1), 'AlwaysDeny');
    assert.ok(names.includes('NodeRestriction') && !names.includes('ResourceQuota') && !names.includes('LimitRanger'));
  });

  it('restricts nodes with up, with any other plugins, unless that is disabled', () => {
    const file = path.join(dir, 'up.yaml');
    writeFileSync(file, 'enable-admission-plugins: [AlwaysPullImages]\n');
    const [byDefault, more, none, inFile] = [
      builtWithUp(),
      builtWithUp('--enable-admission-plugins=AlwaysPullImages'),
      builtWithUp('--enable-admission-plugins='),
      builtWithUp(`--config=${file}`),
    ];
    assert.deepEqual(
      byDefault.filter((name) => !defaults.includes(name)),
      ['NodeRestriction'],
    );
    assert.deepEqual(
      more.filter((name) => !defaults.includes(name)),
      ['NodeRestriction', 'AlwaysPullImages'],
    );
    assert.deepEqual([none, inFile], [byDefault, more]);
    assert.deepEqual(builtWithUp('--disable-admission-plugins=NodeRestriction'), defaults);
  });

  it('runs exactly the plugins of the older option', () => {
    assert.deepEqual(built('--admission-control=ResourceQuota,NamespaceLifecycle'), [
      'NamespaceLifecycle',
      'ResourceQuota',
    ]);
    assert.deepEqual(builtWithUp('--admission-control=ResourceQuota,NamespaceLifecycle'), [
      'NamespaceLifecycle',
      'ResourceQuota',
    ]);
  });

  it('makes every plugin without configuration, except those that need one, and reports those', () => {
    const lacking = ['ImagePolicyWebhook', 'EventRateLimit'];
    const names = rows.map(({ name }) => name).filter((name) => !lacking.includes(name));
    assert.deepEqual(built(`--enable-admission-plugins=${names.join(',')}`), names);
    for (const name of lacking) {
      assert.throws(
        () => built(`--enable-admission-plugins=${name}`),
        (error) =>
          error instanceof OptionsError &&
          error.problems[0]!.startsWith(`--enable-admission-plugins=${name}: ${name}: `),
      );
    }
  });

  it('makes each plugin under its own name, each once', () => {
    const names = admissionPlugins.map(({ name }) => name);
    const configured = new Set(['EventRateLimit', 'ImagePolicyWebhook']);
    const plain = names.filter((name) => !configured.has(name));
    assert.deepEqual(built(`--admission-control=${plain.join(',')}`), plain);
    assert.equal(new Set(names).size, names.length);
  });

  it('is documented, in its order', () => {
    const text = readFileSync(new URL('../../docs/admission.md', import.meta.url), 'utf8');
    const documented = [...text.matchAll(/^\| (\w+) \| (yes|no)(?: \(`(\w+)`: yes\))? \|/gm)].map(
      ([, name, on, defaultOnWith]) => ({ name, defaultOn: on === 'yes', defaultOnWith }),
    );
    assert.deepEqual(
      documented,
      rows.map(({ name, defaultOn, defaultOnWith }) => ({ name, defaultOn, defaultOnWith })),
    );
  });

  it('reports every error in the configuration of plugins that run', () => {
    const file = path.join(dir, 'config.yaml');
    const plugins = [
      { name: 'ResourceQuota', configuration: { kind: 'Other' } },
      { name: 'PodSecurity', configuration: ['x'] },
      { name: 'PodTolerationRestriction', configuration: 'not read, since the plugin is off' },
    ];
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }),
    );
    assert.throws(
      () => built(`--admission-control-config-file=${file}`),
      (error: unknown) => {
        assert.ok(error instanceof OptionsError);
        assert.equal(error.problems.length, 2);
        assert.match(
          error.problems[0]!,
          /^--admission-control-config-file=.*config\.yaml: PodSecurity: the configuration must be a mapping$/,
        );
        assert.match(error.problems[1]!, /: ResourceQuota: no configuration of apiVersion and kind ", Other" is known/);
        return true;
      },
    );
  });

  it('reads the files of plugins that run, and reports those that lack one along with the rest', () => {
    const file = path.join(dir, 'paths.yaml');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AdmissionConfiguration',
        plugins: [
          { name: 'PodSecurity', path: 'gone.yaml' },
          { name: 'PodNodeSelector', path: 'gone.yaml' },
        ],
      }),
    );
    assert.throws(
      () => built(`--admission-control-config-file=${file}`, '--enable-admission-plugins=EventRateLimit'),
      (error: unknown) => {
        assert.ok(error instanceof OptionsError);
        assert.equal(error.problems.length, 2);
        assert.match(error.problems[0]!, /paths\.yaml: PodSecurity: cannot read .*gone\.yaml: ENOENT/);
        assert.match(
          error.problems[1]!,
          /^--enable-admission-plugins=EventRateLimit: EventRateLimit: needs its configuration/,
        );
        return true;
      },
    );
  });

  it('reports a file that it cannot read', () => {
    const file = path.join(dir, 'broken.yaml');
    writeFileSync(file, 'a: [');
    assert.throws(
      () => built(`--admission-control-config-file=${file}`),
      (error: unknown) => error instanceof OptionsError && error.problems.length === 1,
    );
  });
});

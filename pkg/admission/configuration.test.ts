import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readAdmissionConfiguration } from './configuration.ts';

describe('readAdmissionConfiguration', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-admission-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  function written(text: string, name = 'config.yaml'): string {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }
  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

  it('gives each plugin its inline section', () => {
    const of = readAdmissionConfiguration(
      written(`${head}plugins:\n- name: A\n  configuration: {kind: X, size: 1}\n- name: B\n`),
    );
    assert.deepEqual(of('A'), { kind: 'X', size: 1 });
    assert.equal(of('B'), undefined);
    assert.equal(of('C'), undefined);
  });

  it('reads the older version, JSON, and sections in files beside the first', () => {
    written('limit: 5\n', 'more/quota.yaml');
    const plugins = [
      { name: 'A', path: 'more/quota.yaml' },
      { name: 'B', path: path.join(dir, 'more/quota.yaml') },
      { name: 'C', path: 'absent', configuration: { own: true } },
    ];
    const of = readAdmissionConfiguration(
      written(JSON.stringify({ apiVersion: 'apiserver.k8s.io/v1alpha1', kind: 'AdmissionConfiguration', plugins })),
    );
    assert.deepEqual([of('A'), of('B'), of('C')], [{ limit: 5 }, { limit: 5 }, { own: true }]);
  });

  it('gives a file without a kind to the plugins that are older than sections', () => {
    const of = readAdmissionConfiguration(written('podNodeSelectorPluginConfig: {a: b=c}\n'));
    assert.deepEqual(of('PodNodeSelector'), { podNodeSelectorPluginConfig: { a: 'b=c' } });
    assert.deepEqual(of('ImagePolicyWebhook'), of('PodNodeSelector'));
    assert.equal(of('ResourceQuota'), undefined);
  });

  it('reports errors of a file', () => {
    const problem = (text: string) => () => readAdmissionConfiguration(written(text));
    assert.throws(() => readAdmissionConfiguration(path.join(dir, 'none')), /^Error: cannot read .*none: ENOENT/);
    assert.throws(problem('a: [b'), /config\.yaml: /);
    assert.throws(problem('- a\n'), /the configuration must be a mapping/);
    assert.throws(
      problem('apiVersion: v1\nkind: AdmissionConfiguration\n'),
      /no configuration of apiVersion and kind "v1, AdmissionConfiguration" is known/,
    );
    assert.throws(problem(`${head}plugins: {a: b}\n`), /plugins must be a list/);
    assert.throws(problem(`${head}plugins: [{path: x}]\n`), /plugins\[0\]\.name must name a plugin/);
    assert.throws(problem('eventRateLimit: {}\n'), /no configuration of apiVersion and kind ", " is known/);
    const gone = readAdmissionConfiguration(written(`${head}plugins: [{name: x, path: gone.yaml}]\n`));
    assert.equal(gone('y'), undefined);
    assert.throws(() => gone('x'), /cannot read .*gone\.yaml: ENOENT/);
    assert.throws(problem(`${head}plugins: [{name: x, path: 5}]\n`), /plugins\[0\]\.path must be a string/);
  });
});

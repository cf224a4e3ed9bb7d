import assert from 'node:assert/strict';
import { apiServerOptions } from './api-server-options.ts';
import { FeatureGates, featureGates, projectsTokens, type GateName } from './feature-gates.ts';
import type { Component, OptionValues } from './option.ts';
import { readOptions } from './parse-options.ts';

function valuesOf(args: readonly string[], component: Component): OptionValues {
  const { values, problems } = readOptions(apiServerOptions, component, [
    ...(component === 'up' ? [] : ['--store-servers=http://127.0.0.1:2379']),
    ...args,
  ]);
  assert.deepEqual(problems, []);
  return values;
}

function gates(args: readonly string[] = [], component: Component = 'apiserver'): FeatureGates {
  return FeatureGates.of(valuesOf(args, component));
}

const names = Object.keys(featureGates) as GateName[];

describe('FeatureGates', () => {
  it('are as the table has them', () => {
    for (const name of names) assert.equal(gates().enabled(name), featureGates[name].default, name);
    assert.equal(names.length, 63);
  });

  it('are turned on and off by name, the last entry counting', () => {
    const some = gates([
      '--feature-gates=RunAsGroup=true,PodPriority=false',
      '--feature-gates=PodPriority=true,Sysctls=false',
    ]);
    assert.deepEqual(
      [
        some.enabled('RunAsGroup'),
        some.enabled('PodPriority'),
        some.enabled('Sysctls'),
        some.enabled('APIListChunking'),
      ],
      [true, true, false, true],
    );
    assert.deepEqual(
      [some.turnedOff('Sysctls'), some.turnedOff('RunAsGroup'), some.turnedOff('BlockVolume')],
      [true, false, false],
    );
  });

  it('drop features that are alpha today unless they are turned on', () => {
    const off = (...args: string[]): boolean => gates(args).turnedOff('DRAListTypeAttributes');
    assert.deepEqual(
      [
        off(),
        off('--feature-gates=AllAlpha=true'),
        off('--feature-gates=DRAListTypeAttributes=true'),
        off('--feature-gates=AllAlpha=true,DRAListTypeAttributes=false'),
      ],
      [true, false, false, true],
    );
  });

  it("are recognized by the neutral spelling of a vendor's word", () => {
    assert.equal(gates(['--feature-gates=DynamicNodeAgentConfig=false']).turnedOff('DynamicKubeletConfig'), true);
    assert.equal(gates(['--feature-gates=HypervisorContainer=true']).enabled('HyperVContainer'), true);
  });

  it('AllAlpha turns on what is alpha and not named', () => {
    const all = gates(['--feature-gates=AllAlpha=true,RunAsGroup=false']);
    for (const name of names) {
      const expected = name !== 'RunAsGroup' && (featureGates[name].stage === 'alpha' || featureGates[name].default);
      assert.equal(all.enabled(name), expected, name);
    }
  });

  it('tokens are projected only where they can be requested', () => {
    const file = import.meta.filename;
    const key = [
      `--service-account-signing-key-file=${file}`,
      `--service-account-key-file=${file}`,
      '--service-account-issuer=me',
    ];
    const projects = (args: readonly string[], component: Component = 'apiserver'): boolean =>
      projectsTokens(valuesOf(args, component));
    assert.deepEqual(
      [projects(key), projects(key, 'up'), projects([...key, '--feature-gates=TokenRequestProjection=false'])],
      [true, true, false],
    );
    assert.deepEqual(
      [
        projects([]),
        projects(['--feature-gates=AllAlpha=true']),
        projects(['--feature-gates=TokenRequest=true,TokenRequestProjection=true']),
      ],
      [false, false, false],
    );
    const withoutRequests = valuesOf(key, 'apiserver').with({ 'feature-gates': ['TokenRequest=false'] });
    assert.equal(projectsTokens(withoutRequests), false);
  });

  it('tokens can be requested where there is a signing key, unless the feature is turned off', () => {
    const key = import.meta.filename;
    const signing = [
      `--service-account-signing-key-file=${key}`,
      `--service-account-key-file=${key}`,
      '--service-account-issuer=me',
    ];
    const requested = (args: string[], component?: Component): boolean[] =>
      (['TokenRequest', 'TokenRequestProjection'] as const).map((name) => gates(args, component).enabled(name));
    assert.deepEqual(
      [requested([]), requested(signing), requested([], 'up')],
      [
        [false, false],
        [true, true],
        [true, true],
      ],
    );
    assert.deepEqual(requested(['--feature-gates=TokenRequest=false,TokenRequestProjection=false'], 'up'), [
      false,
      false,
    ]);
  });

  it('have a kind of effect and a description', () => {
    for (const name of names) assert.match(featureGates[name].effect, /^[A-Z`]/, name);
  });
});

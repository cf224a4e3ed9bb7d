import assert from 'node:assert/strict';
import { controllerManagerOptions } from '../options/controller-manager-options.ts';
import { OptionsError } from '../options/options-error.ts';
import { parseOptions } from '../options/parse-options.ts';
import { readNodeIpamConfig } from './node-ipam-config.ts';

const V4 = '--cluster-cidr=10.244.0.0/16';
const V6 = '--cluster-cidr=fd00:1::/48';
const DUAL = '--cluster-cidr=10.244.0.0/16,fd00:1::/48';

describe('the sizes of the ranges of nodes', () => {
  const read = (...args: readonly string[]) =>
    readNodeIpamConfig(parseOptions(controllerManagerOptions, 'controller-manager', args));
  const sizes = (...args: readonly string[]): readonly number[] => {
    const { maskSizeIpv4, maskSizeIpv6 } = read('--allocate-node-cidrs', ...args);
    return [maskSizeIpv4, maskSizeIpv6];
  };

  it('are 24 and 64, or as given for each family', () => {
    for (const range of [V4, V6, DUAL]) assert.deepEqual(sizes(range), [24, 64]);
    assert.deepEqual(sizes(V4, '--node-cidr-mask-size=26')[0], 26);
    assert.deepEqual(sizes(V6, '--node-cidr-mask-size=60')[1], 60);
    assert.deepEqual(sizes(V4, '--node-cidr-mask-size-ipv4=27')[0], 27);
    assert.deepEqual(sizes(V6, '--node-cidr-mask-size-ipv6=61')[1], 61);
    assert.deepEqual(sizes(DUAL, '--node-cidr-mask-size-ipv4=27', '--node-cidr-mask-size-ipv6=61'), [27, 61]);
    assert.deepEqual(sizes(DUAL, '--node-cidr-mask-size=0', '--node-cidr-mask-size-ipv6=0'), [24, 64]);
  });

  const wrong: readonly (readonly [args: readonly string[], problem: RegExp])[] = [
    [[DUAL, '--node-cidr-mask-size=24'], /^--node-cidr-mask-size=24: cannot be used with ranges of both families$/],
    [
      [V4, '--node-cidr-mask-size=24', '--node-cidr-mask-size-ipv4=24'],
      /^--node-cidr-mask-size-ipv4=24: cannot be used together with --node-cidr-mask-size$/,
    ],
    [
      [V4, '--node-cidr-mask-size-ipv6=64'],
      /^--node-cidr-mask-size-ipv6=64: cannot be used with --cluster-cidr=10.244.0.0\/16$/,
    ],
    [
      [V6, '--node-cidr-mask-size-ipv4=24'],
      /^--node-cidr-mask-size-ipv4=24: cannot be used with --cluster-cidr=fd00:1::\/48$/,
    ],
  ];
  for (const [args, problem] of wrong) {
    it(`are not those of ${args.join(' ')}`, () => {
      assert.throws(
        () => sizes(...args),
        (error) => error instanceof OptionsError && problem.test(error.message),
      );
      assert.doesNotThrow(() => read(...args), 'nodes get no ranges');
    });
  }
});

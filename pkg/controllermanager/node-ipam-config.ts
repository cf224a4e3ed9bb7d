import type { ControllersConfig } from '../controllers/controllers-config.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';

/** With these the cloud gives ranges to nodes, and no controller here does. */
const cloudAllocators: ReadonlySet<string> = new Set(['CloudAllocator', 'IPAMFromCloud']);

const BOTH = 'node-cidr-mask-size';
const IPV4 = 'node-cidr-mask-size-ipv4';
const IPV6 = 'node-cidr-mask-size-ipv6';
const MASK_IPV4 = 24;
const MASK_IPV6 = 64;

/** Which ranges nodes get. Throws `OptionsError` for sizes that do not fit the families of the cluster. */
export function readNodeIpamConfig(options: OptionValues): ControllersConfig['nodeIpam'] {
  const clusterCidrs = rangesOf(options, 'cluster-cidr');
  const allocate = options.bool('allocate-node-cidrs') && !cloudAllocators.has(options.string('cidr-allocator-type'));
  const problems = allocate ? maskProblems(options, clusterCidrs) : [];
  if (problems.length > 0) throw new OptionsError(problems);
  const common = sizeOf(options, BOTH);
  return {
    allocate,
    clusterCidrs,
    serviceCidrs: rangesOf(options, 'service-cluster-ip-range'),
    maskSizeIpv4: sizeOf(options, IPV4) ?? common ?? MASK_IPV4,
    maskSizeIpv6: sizeOf(options, IPV6) ?? common ?? MASK_IPV6,
  };
}

/** The size for both families is for clusters with one of them, and the others each for its own family. */
function maskProblems(options: OptionValues, clusterCidrs: readonly string[]): string[] {
  const given = [BOTH, IPV4, IPV6].filter((name) => sizeOf(options, name) !== undefined);
  const hasBoth = given.includes(BOTH);
  const ofOther = clusterCidrs[0]?.includes(':') === true ? IPV4 : IPV6;
  const rule = (name: string): string | undefined => {
    if (name === BOTH) return clusterCidrs.length > 1 ? 'cannot be used with ranges of both families' : undefined;
    if (clusterCidrs.length > 1) return undefined;
    if (hasBoth) return `cannot be used together with --${BOTH}`;
    return name === ofOther ? `cannot be used with --cluster-cidr=${clusterCidrs[0] ?? ''}` : undefined;
  };
  return given.flatMap((name) => {
    const broken = rule(name);
    return broken === undefined ? [] : [optionProblem(name, options.string(name), broken)];
  });
}

/** Undefined: not given, or 0. */
function sizeOf(options: OptionValues, name: string): number | undefined {
  return options.isGiven(name) && options.int(name) > 0 ? options.int(name) : undefined;
}

function rangesOf(options: OptionValues, name: string): readonly string[] {
  return options
    .string(name)
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

import { builtInRegistry } from '../../api/built-in-registry.ts';
import { withoutFeatureFields } from '../../api/feature-fields.ts';
import type { ResourceRegistry } from '../../api/resource-registry.ts';
import { withoutSubresource } from '../../api/without-subresource.ts';
import { FeatureGates, featureGates, type GateName } from '../../options/feature-gates.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import { withStorageVersions } from '../../registry/storage-versions.ts';
import { parseRuntimeConfig, withEnabledVersions } from '../../server/documents/enabled-resources.ts';

/** Which of the built-in kinds are served, and in which versions they are stored. */
export interface ApiConfig {
  /** `--runtime-config`. */
  readonly runtimeConfig: ReadonlyMap<string, string>;
  /** `--storage-versions`. */
  readonly storageVersions: readonly string[];
  /** Feature gate TokenRequest. */
  readonly tokenRequests: boolean;
  /** Feature gates that are turned off. */
  readonly featuresOff: ReadonlySet<string>;
}

/** Throws `OptionsError` for versions and resources that there are not. */
export function readApiConfig(options: OptionValues): ApiConfig {
  const gates = FeatureGates.of(options);
  const runtimeConfig = options.pairs('runtime-config');
  const storageVersions = options.list('storage-versions');
  const { resources } = builtInRegistry();
  const problems = [
    ...parseRuntimeConfig(runtimeConfig, resources).problems.map(([pair, rule]) =>
      optionProblem('runtime-config', pair, rule),
    ),
    ...withStorageVersions(resources, storageVersions).problems.map(([item, rule]) =>
      optionProblem('storage-versions', item, rule),
    ),
  ];
  if (problems.length > 0) throw new OptionsError(problems);
  const names = Object.keys(featureGates) as GateName[];
  return {
    runtimeConfig,
    storageVersions,
    tokenRequests: gates.enabled('TokenRequest'),
    featuresOff: new Set(names.filter((gate) => gates.turnedOff(gate))),
  };
}

/** A registry of the built-in kinds as options make them, for one server. */
export function serverRegistry(config: ApiConfig): ResourceRegistry {
  return builtInRegistry((builtIn) => {
    const { enabled } = parseRuntimeConfig(config.runtimeConfig, builtIn);
    const { resources } = withStorageVersions(builtIn, config.storageVersions);
    const served = config.tokenRequests ? resources : withoutSubresource(resources, '', 'serviceaccounts', 'token');
    return withEnabledVersions(
      withoutFeatureFields(served, (gate) => config.featuresOff.has(gate)),
      enabled,
    );
  });
}

import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';

/** Why a configured plugin cannot run. */
function enablingProblem(options: OptionValues, plugin: string, rule: string): OptionsError {
  const option = options.list('admission-control').includes(plugin) ? 'admission-control' : 'enable-admission-plugins';
  return new OptionsError([optionProblem(option, options.list(option).join(','), `${plugin}: ${rule}`)]);
}

/** The section of a plugin that does nothing without one. Throws `OptionsError` where there is none. */
export function requiredConfiguration(
  plugin: string,
  { configuration, options }: { readonly configuration: unknown; readonly options: OptionValues },
): unknown {
  if (configuration === undefined)
    throw enablingProblem(options, plugin, 'needs its configuration in the file of --admission-control-config-file');
  return configuration;
}

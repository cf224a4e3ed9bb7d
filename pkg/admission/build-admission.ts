import { FeatureGates, type GateName } from '../options/feature-gates.ts';
import type { Component, OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import type { AdmissionPlugin } from './admission.ts';
import { noConfiguration, readAdmissionConfiguration, type ConfigurationOf } from './configuration.ts';
import { makePlugin } from './make-plugin.ts';
import type { PluginContext } from './plugin-context.ts';
import { admissionPlugins, type PluginName } from './plugins.ts';

interface PluginRow {
  readonly name: PluginName;
  readonly defaultOn: boolean;
  readonly defaultOnWith?: Component;
  readonly gate?: GateName;
}

const FILE_OPTION = 'admission-control-config-file';

/**
 * Makes the enabled plugins, in their order. Throws `OptionsError` with all errors of the configuration file at once.
 */
export function buildAdmission(context: Omit<PluginContext, 'configuration'>): readonly AdmissionPlugin[] {
  const { options } = context;
  const file = options.string(FILE_OPTION);
  const configurationOf = file === '' ? noConfiguration : read(file);
  const problems: string[] = [];
  const plugins: AdmissionPlugin[] = [];
  for (const name of enabledPlugins(options)) {
    try {
      plugins.push(makePlugin(name, { ...context, configuration: configurationOf(name) }));
    } catch (error) {
      if (error instanceof OptionsError) problems.push(...error.problems);
      else if (file === '') throw error;
      else problems.push(optionProblem(FILE_OPTION, file, `${name}: ${(error as Error).message}`));
    }
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return plugins;
}

/**
 * The plugins that options turn on, in their order. `--admission-control` names exactly those that run; a feature that
 * is off turns its plugin off.
 */
function enabledPlugins(options: OptionValues): readonly PluginName[] {
  const exactly = options.list('admission-control');
  const enable = options.list('enable-admission-plugins');
  const disable = options.list('disable-admission-plugins');
  const gates = FeatureGates.of(options);
  const rows: readonly PluginRow[] = admissionPlugins;
  return rows
    .filter(({ name, defaultOn, defaultOnWith, gate }) => {
      if (gate !== undefined && !gates.enabled(gate)) return false;
      if (exactly.length > 0) return exactly.includes(name);
      return (defaultOn || defaultOnWith === options.component || enable.includes(name)) && !disable.includes(name);
    })
    .map(({ name }) => name);
}

function read(file: string): ConfigurationOf {
  try {
    return readAdmissionConfiguration(file);
  } catch (error) {
    throw new OptionsError([optionProblem(FILE_OPTION, file, (error as Error).message)]);
  }
}

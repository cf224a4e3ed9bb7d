import { FeatureGates, type GateName } from '../options/feature-gates.ts';
import type { Component, OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import { noConfiguration, readAdmissionConfiguration, type ConfigurationOf } from './configuration.ts';
import { settingsReaders, type PluginSettings, type PluginSource } from './plugin-settings.ts';
import { admissionPlugins, type PluginName } from './plugins.ts';

/** Which plugins run, and their settings. */
export interface AdmissionConfig {
  /** In their order. */
  readonly plugins: readonly PluginName[];
  /** Of those that run and have any. */
  readonly settings: Partial<PluginSettings>;
}

interface PluginRow {
  readonly name: PluginName;
  readonly defaultOn: boolean;
  readonly defaultOnWith?: Component;
  readonly gate?: GateName;
}

const FILE_OPTION = 'admission-control-config-file';

/**
 * Reads what options and the configuration file say of admission. Throws `OptionsError` for what is wrong with the
 * file, all of it at once.
 */
export function readAdmissionConfig(options: OptionValues): AdmissionConfig {
  const file = options.string(FILE_OPTION);
  const configurationOf = file === '' ? noConfiguration : readFile(file);
  const plugins = enabledPlugins(options);
  const problems: string[] = [];
  const settings: [PluginName, unknown][] = [];
  for (const name of plugins) {
    try {
      // Wrong for a plugin without settings as well: its section may be in a file that cannot be read.
      const source: PluginSource = { options, configuration: configurationOf(name) };
      const read = Object.hasOwn(settingsReaders, name) ? settingsReaders[name as keyof PluginSettings] : undefined;
      if (read !== undefined) settings.push([name, read(source)]);
    } catch (error) {
      if (error instanceof OptionsError) problems.push(...error.problems);
      else if (file === '') throw error;
      else problems.push(optionProblem(FILE_OPTION, file, `${name}: ${(error as Error).message}`));
    }
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return { plugins, settings: Object.fromEntries(settings) };
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

function readFile(file: string): ConfigurationOf {
  try {
    return readAdmissionConfiguration(file);
  } catch (error) {
    throw new OptionsError([optionProblem(FILE_OPTION, file, (error as Error).message)]);
  }
}

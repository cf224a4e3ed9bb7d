import { optionProblem, OptionsError } from '../options/options-error.ts';
import type { AdmissionPlugin } from './admission.ts';
import { noConfiguration, readAdmissionConfiguration, type ConfigurationOf } from './configuration.ts';
import { enabledPlugins } from './enabled-plugins.ts';
import type { PluginContext } from './plugin-context.ts';

const FILE_OPTION = 'admission-control-config-file';

/**
 * Makes the enabled plugins, in their order. Throws `OptionsError` for what is wrong with the configuration file, all
 * of it at once.
 */
export function buildAdmission(context: Omit<PluginContext, 'configuration'>): readonly AdmissionPlugin[] {
  const { options } = context;
  const file = options.string(FILE_OPTION);
  const configurationOf = file === '' ? noConfiguration : read(file);
  const problems: string[] = [];
  const plugins: AdmissionPlugin[] = [];
  for (const row of enabledPlugins(options)) {
    try {
      plugins.push(row.make({ ...context, configuration: configurationOf(row.name) }));
    } catch (error) {
      if (error instanceof OptionsError) problems.push(...error.problems);
      else if (file === '') throw error;
      else problems.push(optionProblem(FILE_OPTION, file, `${row.name}: ${(error as Error).message}`));
    }
  }
  if (problems.length > 0) throw new OptionsError(problems);
  return plugins;
}

function read(file: string): ConfigurationOf {
  try {
    return readAdmissionConfiguration(file);
  } catch (error) {
    throw new OptionsError([optionProblem(FILE_OPTION, file, (error as Error).message)]);
  }
}

import { FeatureGates } from '../options/feature-gates.ts';
import type { OptionValues } from '../options/option.ts';
import type { PluginRow } from './plugin-context.ts';
import { pluginRows } from './plugins.ts';

/**
 * The plugins that options turn on, in their order. `--admission-control` names exactly those that run; a feature that
 * is off turns its plugin off.
 */
export function enabledPlugins(options: OptionValues): readonly PluginRow[] {
  const exactly = options.list('admission-control');
  const enable = options.list('enable-admission-plugins');
  const disable = options.list('disable-admission-plugins');
  const gates = FeatureGates.of(options);
  return pluginRows.filter(({ name, defaultOn, defaultOnWith, gate }) => {
    if (gate !== undefined && !gates.enabled(gate)) return false;
    if (exactly.length > 0) return exactly.includes(name);
    return (defaultOn || defaultOnWith === options.component || enable.includes(name)) && !disable.includes(name);
  });
}

import type { AdmissionPlugin } from './admission.ts';
import type { AdmissionConfig } from './admission-config.ts';
import { makePlugin } from './make-plugin.ts';
import type { PluginContext } from './plugin-context.ts';

/** Makes the enabled plugins, in their order. */
export function buildAdmission(
  { plugins, settings }: AdmissionConfig,
  context: Omit<PluginContext, 'settings'>,
): readonly AdmissionPlugin[] {
  return plugins.map((name) => makePlugin(name, { ...context, settings }));
}

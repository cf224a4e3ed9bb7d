import type { OptionValues } from '../../options/option.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { enablingProblem } from '../enabling-problem.ts';

/**
 * Initializers were an alpha of release 1.11 and are gone since 1.14, with their field of object metadata: objects cannot wait for one here. A server
 * that admitted them at once would pass by what their owner counts on, so asking for the plugin is a problem at start. Throws `OptionsError`.
 */
export function initializersPlugin(options: OptionValues): AdmissionPlugin {
  throw enablingProblem(options, 'Initializers', 'objects have no metadata.initializers since release 1.14; use MutatingAdmissionWebhook instead');
}

import type { AdmissionPlugin } from '../admission.ts';

/**
 * Lets objects wait for the initializers that an InitializerConfiguration names. That kind went with release 1.14 and
 * cannot exist here, and without one the plugin of release 1.11 lets everything pass as well. Kept for command lines
 * that name it; a start with it says so.
 */
export function initializersPlugin(): AdmissionPlugin {
  return { name: 'Initializers' };
}

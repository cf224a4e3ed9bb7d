import type { AdmissionPlugin } from '../admission.ts';

/**
 * Lets objects wait for the initializers of an InitializerConfiguration. That kind was removed in release 1.14 and
 * cannot exist here, and without one the plugin of release 1.11 admits everything as well. Kept for command lines that
 * name it; a start with it logs that.
 */
export function initializersPlugin(): AdmissionPlugin {
  return { name: 'Initializers' };
}

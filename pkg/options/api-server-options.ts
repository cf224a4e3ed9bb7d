import type { Option } from './option.ts';
import { admissionOptions } from './rows/admission.ts';
import { auditOptions } from './rows/audit.ts';
import { authenticationOptions } from './rows/authentication.ts';
import { authorizationOptions } from './rows/authorization.ts';
import { cloudOptions } from './rows/cloud.ts';
import { deprecatedOptions } from './rows/deprecated.ts';
import { generalOptions } from './rows/general.ts';
import { limitsOptions } from './rows/limits.ts';
import { networkingOptions } from './rows/networking.ts';
import { nodesOptions } from './rows/nodes.ts';
import { observabilityOptions } from './rows/observability.ts';
import { servingOptions } from './rows/serving.ts';
import { storageOptions } from './rows/storage.ts';
import { threadsOptions } from './rows/threads.ts';
import { versioningOptions } from './rows/versioning.ts';

/** Every option of the API server, by group in the order of the reference. */
export const apiServerOptions: readonly Option[] = [
  ...generalOptions,
  ...storageOptions,
  ...servingOptions,
  ...authenticationOptions,
  ...authorizationOptions,
  ...admissionOptions,
  ...auditOptions,
  ...limitsOptions,
  ...networkingOptions,
  ...nodesOptions,
  ...threadsOptions,
  ...versioningOptions,
  ...observabilityOptions,
  ...cloudOptions,
  ...deprecatedOptions,
];

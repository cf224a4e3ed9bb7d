import { admissionregistrationGroup } from './admissionregistration/resources.ts';
import { apiextensionsGroup } from './apiextensions/resources.ts';
import { apiregistrationGroup } from './apiregistration/resources.ts';
import { appsGroup } from './apps/resources.ts';
import { authenticationGroup } from './authentication/resources.ts';
import { authorizationGroup } from './authorization/resources.ts';
import { autoscalingGroup } from './autoscaling/resources.ts';
import { batchGroup } from './batch/resources.ts';
import { certificatesGroup } from './certificates/resources.ts';
import { coordinationGroup } from './coordination/resources.ts';
import { coreGroup, eventsGroup } from './core/resources.ts';
import { discoveryGroup } from './discovery/resources.ts';
import { extensionsGroup } from './extensions/resources.ts';
import { flowcontrolGroup } from './flowcontrol/resources.ts';
import { networkingGroup } from './networking/resources.ts';
import { nodeGroup } from './node/resources.ts';
import { policyGroup } from './policy/resources.ts';
import { rbacGroup } from './rbac/resources.ts';
import type { ApiGroup } from './api-group.ts';
import type { AnyResource } from './resource-definition.ts';
import { resourceGroup } from './resource/resources.ts';
import { schedulingGroup } from './scheduling/resources.ts';
import { settingsGroup } from './settings/resources.ts';
import { storageGroup } from './storage/resources.ts';

/** Every group that the server knows. */
export const builtInGroups: readonly ApiGroup[] = [
  coreGroup,
  eventsGroup,
  admissionregistrationGroup,
  apiextensionsGroup,
  apiregistrationGroup,
  appsGroup,
  authenticationGroup,
  authorizationGroup,
  autoscalingGroup,
  batchGroup,
  certificatesGroup,
  coordinationGroup,
  discoveryGroup,
  extensionsGroup,
  flowcontrolGroup,
  networkingGroup,
  nodeGroup,
  policyGroup,
  rbacGroup,
  resourceGroup,
  schedulingGroup,
  settingsGroup,
  storageGroup,
];

/** Every built-in kind, group by group. */
export const allResources: readonly AnyResource[] = builtInGroups.flatMap(({ resources }) => resources);

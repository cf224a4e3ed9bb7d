import { admissionregistrationResources } from './admissionregistration/resources.ts';
import { apiextensionsResources } from './apiextensions/resources.ts';
import { apiregistrationResources } from './apiregistration/resources.ts';
import { appsResources } from './apps/resources.ts';
import { authenticationResources } from './authentication/resources.ts';
import { authorizationResources } from './authorization/resources.ts';
import { autoscalingResources } from './autoscaling/resources.ts';
import { batchResources } from './batch/resources.ts';
import { certificatesResources } from './certificates/resources.ts';
import { coordinationResources } from './coordination/resources.ts';
import { coreResources } from './core/resources.ts';
import { discoveryResources } from './discovery/resources.ts';
import { extensionsResources } from './extensions/resources.ts';
import { flowcontrolResources } from './flowcontrol/resources.ts';
import { networkingResources } from './networking/resources.ts';
import { nodeResources } from './node/resources.ts';
import { policyResources } from './policy/resources.ts';
import { rbacResources } from './rbac/resources.ts';
import type { AnyResource } from './resource-definition.ts';
import { resourceResources } from './resource/resources.ts';
import { schedulingResources } from './scheduling/resources.ts';
import { settingsResources } from './settings/resources.ts';
import { storageResources } from './storage/resources.ts';

/** Every kind that the server knows, group by group. */
export const allResources: readonly AnyResource[] = [
  ...coreResources,
  ...admissionregistrationResources,
  ...apiextensionsResources,
  ...apiregistrationResources,
  ...appsResources,
  ...authenticationResources,
  ...authorizationResources,
  ...autoscalingResources,
  ...batchResources,
  ...certificatesResources,
  ...coordinationResources,
  ...discoveryResources,
  ...extensionsResources,
  ...flowcontrolResources,
  ...networkingResources,
  ...nodeResources,
  ...policyResources,
  ...rbacResources,
  ...resourceResources,
  ...schedulingResources,
  ...settingsResources,
  ...storageResources,
];

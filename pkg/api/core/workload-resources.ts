import type { AnyResource } from '../resource-definition.ts';
import { pod } from './pod/pod.ts';
import { podTemplate } from './pod-template/pod-template.ts';
import { replicationController } from './replication-controller/replication-controller.ts';

/** The core group's pods and the kinds with templates for them. */
export const coreWorkloadResources: AnyResource[] = [pod, podTemplate, replicationController];

import type { AnyResource } from '../resource-definition.ts';
import { pod } from './pod/pod.ts';
import { podTemplate } from './pod-template/pod-template.ts';
import { replicationController } from './replication-controller/replication-controller.ts';

/** The core group's pods and what makes them from templates. */
export const coreWorkloadResources: AnyResource[] = [pod, podTemplate, replicationController];

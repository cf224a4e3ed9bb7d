import type { AnyResource } from '../resource-definition.ts';
import { replicationControllerDummy } from './replication-controller-dummy/replication-controller-dummy.ts';

/** What is served in the extensions group alone; its other kinds have moved to groups of their own. */
export const extensionsResources: AnyResource[] = [replicationControllerDummy];

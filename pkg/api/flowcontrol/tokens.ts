import { tokenOf } from '../resource-definition.ts';
import { flowSchema } from './flow-schema/flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration/priority-level-configuration.ts';

export const flowSchemas = tokenOf(flowSchema);
export const priorityLevelConfigurations = tokenOf(priorityLevelConfiguration);

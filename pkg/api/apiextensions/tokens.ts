import { tokenOf } from '../resource-definition.ts';
import { customResourceDefinition } from './custom-resource-definition/custom-resource-definition.ts';

export const customResourceDefinitions = tokenOf(customResourceDefinition);

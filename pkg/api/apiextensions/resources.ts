import type { AnyResource } from '../resource-definition.ts';
import { customResourceDefinition } from './custom-resource-definition/custom-resource-definition.ts';

export const apiextensionsResources: AnyResource[] = [customResourceDefinition];

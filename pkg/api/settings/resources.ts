import type { AnyResource } from '../resource-definition.ts';
import { podPreset } from './pod-preset/pod-preset.ts';

export const settingsResources: AnyResource[] = [podPreset];

import { tokenOf } from '../resource-definition.ts';
import { podPreset } from './pod-preset/pod-preset.ts';

export const podPresets = tokenOf(podPreset);

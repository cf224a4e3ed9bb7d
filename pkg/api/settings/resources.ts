import type { ApiGroup } from '../api-group.ts';
import { podPreset } from './pod-preset/pod-preset.ts';

export const settingsGroup: ApiGroup = {
  name: 'settings.k8s.io',
  priority: 16900,
  versionPriorities: { v1alpha1: 9 },
  resources: [podPreset],
};

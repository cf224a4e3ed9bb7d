import type { ApiGroup } from '../api-group.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts';

export const autoscalingGroup: ApiGroup = {
  name: 'autoscaling',
  priority: 17500,
  versionPriorities: { v2: 30 },
  resources: [horizontalPodAutoscaler],
};

import { tokenOf } from '../resource-definition.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts';

export const horizontalPodAutoscalers = tokenOf(horizontalPodAutoscaler);

import type { AdmissionRequest } from '../admission.ts';
import type { LevelVersion } from './level.ts';

/** Called with the decisions of pod security, for metrics. `mode` is the use of the level. */
export interface PodSecurityObserver {
  podEvaluated(
    request: AdmissionRequest,
    mode: 'enforce' | 'audit' | 'warn',
    policy: LevelVersion,
    allowed: boolean,
  ): void;
  /** The namespace, the user or the runtime class is exempt. */
  podExempted(request: AdmissionRequest): void;
}

import type { AdmissionRequest } from '../admission.ts';
import type { LevelVersion } from './level.ts';

/** Told what pod security decides, for metrics. `mode` is what the level is for. */
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

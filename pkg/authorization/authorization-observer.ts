import type { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';

/** A change in the graph of nodes. */
export type GraphAction =
  | 'AddPod'
  | 'DeletePod'
  | 'AddPV'
  | 'DeletePV'
  | 'AddVolumeAttachment'
  | 'DeleteVolumeAttachment'
  | 'AddResourceSlice'
  | 'DeleteResourceSlice';

/** Called with the work of authorization, for metrics. */
export interface AuthorizationObserver {
  /** The graph of nodes has applied one change. */
  graphChanged(action: GraphAction, seconds: number): void;
  readonly webhookCertificates: DeprecatedCertificates;
}

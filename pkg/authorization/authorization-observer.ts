import type { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';

/** What the graph of nodes was told. */
export type GraphAction =
  | 'AddPod'
  | 'DeletePod'
  | 'AddPV'
  | 'DeletePV'
  | 'AddVolumeAttachment'
  | 'DeleteVolumeAttachment'
  | 'AddResourceSlice'
  | 'DeleteResourceSlice';

/** Told what authorization spends its time with, for metrics. */
export interface AuthorizationObserver {
  /** The graph of nodes was brought up to one change. */
  graphChanged(action: GraphAction, seconds: number): void;
  readonly webhookCertificates: DeprecatedCertificates;
}

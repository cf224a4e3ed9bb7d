/** Told what becomes of the keys of values, for metrics. */
export interface DataKeyObserver {
  /** A new key was made. */
  generated(seconds: number): void;
  generationFailed(): void;
  /** A key was not among those kept opened: the key service is asked. */
  missed(): void;
  /** So much of the room for opened keys is taken, 0 to 1. */
  filled(share: number): void;
}

/** Called with events of data keys, for metrics. */
export interface DataKeyObserver {
  /** A new key was made. */
  generated(seconds: number): void;
  generationFailed(): void;
  /** A key was not among the cached ones: the key service is called. */
  missed(): void;
  /** The share of the room for cached keys that is taken, 0 to 1. */
  filled(share: number): void;
}

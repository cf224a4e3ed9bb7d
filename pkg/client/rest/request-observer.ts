/** Told how requests end; metrics count them. */
export interface RequestObserver {
  /** `code` is 0 where no answer came; a watch is reported when its answer begins. */
  requestEnded(method: string, host: string, code: number, seconds: number): void;
}

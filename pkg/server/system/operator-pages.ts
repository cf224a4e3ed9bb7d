import type { RequestContext } from '../request/request-context.ts';

/** What the server serves outside of resources. */
export interface ServedPaths {
  /** What `/` lists. */
  readonly paths: readonly string[];
}

/** Pages for operators, beside the API. Only authorized users get here: by default administrators alone. */
export interface OperatorPages {
  /** Paths that `/` lists. */
  readonly listed: readonly string[];
  /** Undefined where the path is none of these pages; rejects with a StatusError for what is to be answered as such. */
  answer(context: RequestContext, site: ServedPaths): Promise<void> | undefined;
}

import { OptionsError } from './options-error.ts';

/** What several builders find wrong with the options of a start, so that it is reported together. */
export class GatheredProblems {
  private readonly kept = new Set<string>();

  /** Each problem once. */
  get problems(): readonly string[] {
    return [...this.kept];
  }

  /** What `build` returns; undefined where it throws an `OptionsError`, which is kept. Other errors are thrown on. */
  attempt<T>(build: () => T): T | undefined {
    try {
      return build();
    } catch (error) {
      if (!(error instanceof OptionsError)) throw error;
      for (const problem of error.problems) this.kept.add(problem);
      return undefined;
    }
  }

  /** Throws an `OptionsError` with everything that was kept. */
  throwIfAny(): void {
    if (this.kept.size > 0) throw new OptionsError(this.problems);
  }
}

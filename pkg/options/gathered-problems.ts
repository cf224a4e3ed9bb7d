import { OptionsError } from './options-error.ts';

/** The problems that several builders find with the options of a start, so that they are reported together. */
export class GatheredProblems {
  private readonly kept = new Set<string>();

  /** Each problem once. */
  get problems(): readonly string[] {
    return [...this.kept];
  }

  /** The result of `build`; undefined where it throws an `OptionsError`, which is kept. Other errors are rethrown. */
  attempt<T>(build: () => T): T | undefined {
    try {
      return build();
    } catch (error) {
      if (!(error instanceof OptionsError)) throw error;
      for (const problem of error.problems) this.kept.add(problem);
      return undefined;
    }
  }

  /** Throws an `OptionsError` with all kept problems. */
  throwIfAny(): void {
    if (this.kept.size > 0) throw new OptionsError(this.problems);
  }
}

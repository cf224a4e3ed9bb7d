/** Effects of admission plugins outside of the written object; undone when the write does not happen. */
export class UndoSteps {
  private readonly steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /** Last first. */
  async rollback(): Promise<void> {
    for (const step of this.steps.splice(0).reverse()) await step();
  }
}

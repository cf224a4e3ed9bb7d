/**
 * Characters of all warnings of an answer, and of each one where they are more: clients refuse answers with long
 * headers.
 */
const TOTAL_LENGTH_MAX = 4096;
const CUT_LENGTH_MAX = 256;

/**
 * The warnings of one request, each distinct text once, in the order recorded. Texts are whole while all of them fit;
 * from the first that does not, each is cut, and recording ends when the cut ones fill the same length. Bounded for any
 * number of warnings.
 */
export class WarningRecorder {
  private readonly seen = new Set<string>();
  private kept: string[] = [];
  private length = 0;
  private cutting = false;

  /** Nothing more is recorded. */
  get full(): boolean {
    return this.cutting && this.length >= TOTAL_LENGTH_MAX;
  }

  get texts(): readonly string[] {
    return this.kept;
  }

  add(text: string): void {
    if (text === '' || this.full || this.seen.has(text)) return;
    this.seen.add(text);
    if (!this.cutting && this.length + text.length > TOTAL_LENGTH_MAX) this.beginCutting();
    this.keep(text);
  }

  private keep(text: string): void {
    const kept = this.cutting ? text.slice(0, CUT_LENGTH_MAX) : text;
    this.kept.push(kept);
    this.length += kept.length;
  }

  /** Records again, cut, what was recorded so far. */
  private beginCutting(): void {
    const earlier = this.kept;
    this.cutting = true;
    this.kept = [];
    this.length = 0;
    for (const text of earlier) this.keep(text);
  }
}

import { readFile } from 'node:fs/promises';
import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { TokenSource } from '../client-credentials.ts';

/** A file is read again after this long: mounted credentials are renewed well before they expire. */
const READ_MS = 60_000;

/** The text of a file that is replaced from time to time: tokens, certificates, keys, authorities. */
export class RotatingFile implements TokenSource {
  private readonly file: string;
  private readonly nowMs: () => number;
  private text: string | undefined;
  /** Undefined: it is to be read before its text is used. */
  private readMs: number | undefined;

  /** `text` is what was read at the start, if anything was. */
  constructor(file: string, text?: string, nowMs: () => number = steadyMs) {
    this.file = file;
    this.nowMs = nowMs;
    this.text = text;
    this.readMs = text === undefined ? undefined : nowMs();
  }

  /** Rejects where the file was never readable. */
  async current(): Promise<string> {
    if (this.text !== undefined && this.readMs !== undefined && this.nowMs() - this.readMs < READ_MS) return this.text;
    try {
      this.text = await readFile(this.file, 'utf8');
    } catch (error) {
      // A replacement may be incomplete; the server rejects the old text when it has expired.
      if (this.text === undefined) throw error;
    }
    this.readMs = this.nowMs();
    return this.text;
  }

  /** The next use reads the file. */
  expire(): void {
    this.readMs = undefined;
  }
}

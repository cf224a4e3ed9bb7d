import { stat } from 'node:fs/promises';

/** Time between two looks at the files. */
const CHECK_MS = 1000;

export interface FollowedFilesSettings {
  /**
   * Called when a file was written, or another one took its place; where it throws, again at each look until it does
   * not.
   */
  readonly changed: () => void;
  /** Called once for each change for which `changed` throws. */
  readonly onError: (error: unknown) => void;
  readonly checkMs?: number;
}

/**
 * Checks files at intervals. Polls instead of watching: mounted configuration changes by links to other folders, which
 * watches do not report.
 */
export class FollowedFiles {
  private readonly files: readonly string[];
  private readonly settings: FollowedFilesSettings;
  private state = '';
  private failed = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(files: readonly string[], settings: FollowedFilesSettings) {
    this.files = files;
    this.settings = settings;
  }

  /** Takes the present state as known. */
  async start(): Promise<void> {
    this.state = await this.look();
    const { checkMs = CHECK_MS } = this.settings;
    const next = (): void => {
      this.timer = setTimeout(
        () =>
          void this.check().then(() => {
            if (this.timer !== undefined) next();
          }),
        checkMs,
      ).unref();
    };
    next();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Checks now. */
  async check(): Promise<void> {
    const found = await this.look();
    if (found === this.state) return;
    try {
      this.settings.changed();
      this.state = found;
      this.failed = '';
    } catch (error) {
      if (found !== this.failed) this.settings.onError(error);
      this.failed = found;
    }
  }

  private async look(): Promise<string> {
    return (await Promise.all(this.files.map(stateOf))).join(' | ');
  }
}

/** Differs when the file was written or another one took its place; also when it is not there. */
async function stateOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

import { closeSync, existsSync, openSync } from 'node:fs';
import { lstat, open, rename, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { keepPrivate } from '../../options/keep-private.ts';
import { makeDirectory } from '../../options/make-directory.ts';
import type { AuditSink } from '../audit-backend.ts';
import { BackupNames } from './backup-names.ts';
import { tidyOldFiles, type Retention } from './old-files.ts';

export interface LogFileSettings {
  readonly file: string;
  /** `--audit-log-maxsize`, bytes: before a write that would pass it a new file is begun. */
  readonly bytesMax: number;
  readonly retention: Retention;
  readonly nowMs: () => number;
  /** Called with old files that cannot be removed or compressed. */
  readonly report: (message: string) => void;
}

interface WaitingWrite {
  readonly bytes: Uint8Array;
  readonly done: (error: unknown) => void;
}

const FILE_MODE = 0o600;
const DIR_MODE = 0o700;
const NEWLINE = Buffer.from('\n');

/**
 * Checks that the file can be written, so that a start fails rather than its first event. Throws errors of the file
 * system.
 */
export function prepareLogFile(file: string): void {
  makeDirectory(path.dirname(file), DIR_MODE);
  // For reading as well: a pipe without a reader would block the start.
  closeSync(openSync(file, 'a+', FILE_MODE));
  keepPrivate(file);
}

/**
 * A log file that is rotated when it is full. Devices and pipes never are, nor are targets of symbolic links: the link
 * may be the system's, as `/dev/stdout` is, and its target belongs to its creator. Writes that come while another is in
 * flight are written together.
 */
export class LogFile implements AuditSink {
  private readonly settings: LogFileSettings;
  private readonly names: BackupNames;
  private readonly waiting: WaitingWrite[] = [];
  private handle: FileHandle | undefined;
  private size = 0;
  /** A device, a pipe or a symbolic link stays in place for its other users. */
  private rotates = true;
  /**
   * The file ends in the middle of a line, since a write failed halfway or a process died: the next event starts on a
   * new line.
   */
  private torn = false;
  private writing: Promise<void> | undefined;
  private tidying: Promise<void> = Promise.resolve();

  constructor(settings: LogFileSettings) {
    this.settings = settings;
    this.names = new BackupNames(settings.file);
    this.tidy();
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ bytes, done: (error) => (error === undefined ? resolve() : reject(error)) });
      this.writing ??= this.writeAll();
    });
  }

  hurry(): void {
    // Nothing here pauses.
  }

  async close(): Promise<void> {
    await this.writing;
    await this.tidying;
    await this.handle?.close();
    this.handle = undefined;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.takeGroup();
      let failure: unknown;
      try {
        await this.append(group.map(({ bytes }) => bytes));
      } catch (error) {
        failure = error;
        await this.abandon();
      }
      for (const { done } of group) done(failure);
    }
    this.writing = undefined;
  }

  /** As many pending parts as fit into one file. */
  private takeGroup(): WaitingWrite[] {
    let bytes = 0;
    let count = 0;
    for (const write of this.waiting) {
      bytes += write.bytes.length;
      if (this.rotates && count > 0 && bytes > this.settings.bytesMax - this.size) break;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private async append(parts: readonly Uint8Array[]): Promise<void> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    let handle = this.handle ?? (await this.open());
    if (this.rotates && this.size > 0 && this.size + bytes > this.settings.bytesMax) handle = await this.rotate();
    const whole = this.torn || parts.length > 1 ? Buffer.concat(this.torn ? [NEWLINE, ...parts] : parts) : parts[0]!;
    await handle.appendFile(whole);
    this.torn = false;
    this.size += whole.length;
  }

  private async open(): Promise<FileHandle> {
    const handle = await open(this.settings.file, 'a+', FILE_MODE);
    this.handle = handle;
    const stats = await handle.stat();
    this.rotates = stats.isFile() && !(await lstat(this.settings.file)).isSymbolicLink();
    this.size = stats.size;
    this.torn = this.size > 0 && (await lastByte(handle, this.size)) !== NEWLINE[0];
    return handle;
  }

  private async rotate(): Promise<FileHandle> {
    await this.handle?.close();
    this.handle = undefined;
    let ms = this.settings.nowMs();
    while (existsSync(this.names.at(ms)) || existsSync(`${this.names.at(ms)}.gz`)) ms++;
    await rename(this.settings.file, this.names.at(ms)).catch(unlessMissing);
    const handle = await this.open();
    this.tidy();
    return handle;
  }

  /** After a failure: the next write opens the file again. */
  private async abandon(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    // The failed write was reported; closing adds nothing.
    await handle?.close().catch(() => undefined);
  }

  private tidy(): void {
    const { retention, nowMs, report } = this.settings;
    this.tidying = this.tidying
      .then(() => tidyOldFiles(this.names, retention, nowMs()))
      .catch((error: Error) => report(`old audit logs cannot be tidied up: ${error.message}`));
  }
}

async function lastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

/** The file was removed from outside: there is nothing to rotate. */
function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

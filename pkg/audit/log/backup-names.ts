import path from 'node:path';

/**
 * Names of old log files: `audit-2006-01-02T15-04-05.000.log` for `audit.log`, by the time (UTC) at which the file was
 * rotated.
 */
export class BackupNames {
  readonly dir: string;
  private readonly prefix: string;
  private readonly extension: string;

  constructor(file: string) {
    this.dir = path.dirname(file);
    this.extension = path.extname(file);
    this.prefix = `${path.basename(file, this.extension)}-`;
  }

  at(ms: number): string {
    const time = new Date(ms).toISOString().slice(0, -1).replaceAll(':', '-');
    return path.join(this.dir, `${this.prefix}${time}${this.extension}`);
  }

  /** When the file of that name was rotated; undefined for other names. Compressed files end in `.gz`. */
  timeOf(name: string): number | undefined {
    const plain = name.endsWith('.gz') ? name.slice(0, -'.gz'.length) : name;
    if (!plain.startsWith(this.prefix) || !plain.endsWith(this.extension)) return undefined;
    const time = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(
      plain.slice(this.prefix.length, plain.length - this.extension.length),
    );
    if (time === null) return undefined;
    const ms = Date.parse(`${time[1]}T${time[2]}:${time[3]}:${time[4]}Z`);
    return Number.isNaN(ms) ? undefined : ms;
  }
}

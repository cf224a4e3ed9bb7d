import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BackupNames } from './backup-names.ts';
import { LogFile, prepareLogFile } from './log-file.ts';
import type { Retention } from './old-files.ts';

const DAY_MS = 24 * 3600 * 1000;

describe('LogFile', () => {
  let dir: string;
  let file: string;
  let now: number;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-audit-log-'));
    file = path.join(dir, 'sub', 'audit.log');
    now = Date.UTC(2024, 0, 2, 3, 4, 5, 6);
    prepareLogFile(file);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const opened = (bytesMax: number, retention: Partial<Retention> = {}): LogFile =>
    new LogFile({
      file,
      bytesMax,
      retention: { ageDaysMax: 0, filesMax: 0, compress: false, ...retention },
      nowMs: () => now,
      report: (message) => assert.fail(message),
    });
  const files = (): string[] => readdirSync(path.dirname(file)).sort();
  const write = (log: LogFile, text: string): Promise<void> => log.write(Buffer.from(text));

  it('is readable by its owner only, and appends to an existing file', async () => {
    assert.equal(statSync(file).mode & 0o777, 0o600);
    writeFileSync(file, 'before\n');
    const log = opened(1000);
    await Promise.all(['a\n', 'b\n', 'c\n'].map((text) => write(log, text)));
    await log.close();
    assert.equal(readFileSync(file, 'utf8'), 'before\na\nb\nc\n');
  });

  it('is rotated under the time, before a write that does not fit', async () => {
    const log = opened(10);
    await write(log, '12345678\n');
    await write(log, 'abcdefgh\n');
    await write(log, 'ABCDEFGH\n');
    await log.close();
    assert.deepEqual(files(), ['audit-2024-01-02T03-04-05.006.log', 'audit-2024-01-02T03-04-05.007.log', 'audit.log']);
    assert.equal(
      readFileSync(path.join(path.dirname(file), 'audit-2024-01-02T03-04-05.006.log'), 'utf8'),
      '12345678\n',
    );
    assert.equal(readFileSync(file, 'utf8'), 'ABCDEFGH\n');
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('leaves a pipe or a device in place', async () => {
    rmSync(file);
    execFileSync('mkfifo', [file]);
    prepareLogFile(file);
    const reader = openSync(file, 'r+');
    const log = opened(10);
    await write(log, '12345678\n');
    await write(log, 'abcdefgh\n');
    await log.close();
    assert.deepEqual(files(), ['audit.log']);
    const read = Buffer.alloc(100);
    assert.equal(read.toString('utf8', 0, readSync(reader, read)), '12345678\nabcdefgh\n');
    closeSync(reader);
  });

  it('leaves a symbolic link in place, and its target', async () => {
    rmSync(file);
    const target = path.join(dir, 'target');
    symlinkSync(target, file);
    prepareLogFile(file);
    const log = opened(10);
    await write(log, '12345678\n');
    await write(log, 'abcdefgh\n');
    await log.close();
    assert.deepEqual([files(), readdirSync(dir).sort()], [['audit.log'], ['sub', 'target']]);
    assert.equal(readFileSync(target, 'utf8'), '12345678\nabcdefgh\n');
  });

  it('counts the content from before the start', async () => {
    writeFileSync(file, '123456789\n');
    const log = opened(12);
    await write(log, 'abc\n');
    await log.close();
    assert.equal(files().length, 2);
  });

  it('writes a part larger than the limit into a separate file', async () => {
    const log = opened(4);
    await Promise.all([write(log, 'a\n'), write(log, '123456\n'), write(log, 'b\n')]);
    await log.close();
    const texts = files().map((name) => readFileSync(path.join(path.dirname(file), name), 'utf8'));
    assert.deepEqual(texts, ['a\n', '123456\n', 'b\n']);
  });

  it('removes old files by number and by age, and nothing else', async () => {
    const names = new BackupNames(file);
    for (const days of [1, 2, 3, 8, 9]) writeFileSync(names.at(now - days * DAY_MS), 'old');
    writeFileSync(path.join(path.dirname(file), 'audit-notes.log'), 'mine');
    const byAge = opened(100, { ageDaysMax: 7 });
    await byAge.close();
    assert.equal(files().length, 5);
    const byNumber = opened(100, { filesMax: 2 });
    await byNumber.close();
    assert.deepEqual(files(), [
      'audit-2023-12-31T03-04-05.006.log',
      'audit-2024-01-01T03-04-05.006.log',
      'audit-notes.log',
      'audit.log',
    ]);
  });

  it('compresses old files', async () => {
    const log = opened(4, { compress: true });
    await write(log, 'one\n');
    await write(log, 'two\n');
    await log.close();
    assert.deepEqual(files(), ['audit-2024-01-02T03-04-05.006.log.gz', 'audit.log']);
    assert.equal(gunzipSync(readFileSync(path.join(path.dirname(file), files()[0]!))).toString(), 'one\n');
  });

  it('removes old files also where others can be neither removed nor compressed, and reports those', async () => {
    const names = new BackupNames(file);
    const at = (days: number): string => names.at(now - days * DAY_MS);
    for (const days of [1, 2, 4]) writeFileSync(at(days), 'old');
    mkdirSync(`${at(1)}.gz`);
    mkdirSync(at(3));
    const reports: string[] = [];
    const log = new LogFile({
      file,
      bytesMax: 100,
      retention: { ageDaysMax: 0, filesMax: 3, compress: true },
      nowMs: () => now,
      report: (message) => reports.push(message),
    });
    await log.close();
    assert.deepEqual(files(), [
      ...[at(3), `${at(2)}.gz`, at(1), `${at(1)}.gz`].map((name) => path.basename(name)),
      'audit.log',
    ]);
    assert.match(reports.join('\n'), /^old audit logs cannot be tidied up: [^\n]*EISDIR[^\n]* \(one of 2 failures\)$/);
  });

  it('reports a write that failed, and writes again when it can', async () => {
    rmSync(path.dirname(file), { recursive: true });
    const log = opened(100);
    await assert.rejects(write(log, 'lost\n'), /ENOENT/);
    prepareLogFile(file);
    await write(log, 'kept\n');
    await log.close();
    assert.equal(readFileSync(file, 'utf8'), 'kept\n');
  });

  it('reports a path that something else has replaced, and writes again when it can', async () => {
    rmSync(file);
    mkdirSync(file);
    const log = opened(100);
    await assert.rejects(write(log, 'lost\n'), /EISDIR/);
    rmdirSync(file);
    await write(log, 'kept\n');
    await log.close();
    assert.equal(readFileSync(file, 'utf8'), 'kept\n');
  });

  it('starts on a new line after a torn one', async () => {
    writeFileSync(file, 'whole\nto');
    const log = opened(1000);
    await write(log, 'next\n');
    await write(log, 'last\n');
    await log.close();
    assert.equal(readFileSync(file, 'utf8'), 'whole\nto\nnext\nlast\n');
  });

  it('continues in a new file when the old one is removed', async () => {
    const log = opened(8);
    await write(log, '12345\n');
    rmSync(file);
    await write(log, '67890\n');
    await log.close();
    assert.deepEqual(
      files().map((name) => readFileSync(path.join(path.dirname(file), name), 'utf8')),
      ['67890\n'],
    );
  });

  it('loses and tears no line while it is rotated again and again', async () => {
    const log = opened(1000, { compress: true });
    const lines = Array.from({ length: 2000 }, (_, i) => `${i} ${'x'.repeat(i % 90)}\n`);
    for (let i = 0; i < lines.length; i += 50)
      await Promise.all(lines.slice(i, i + 50).map((line) => write(log, line)));
    await log.close();
    const written = files().map((name) => {
      const bytes = readFileSync(path.join(path.dirname(file), name));
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    });
    assert.ok(written.length > 50 && written.every((text) => text.length <= 1000 && text.endsWith('\n')));
    assert.equal(written.join(''), lines.join(''), 'files in the order of their names');
  });

  it('keeps no more and no older files than configured while it is rotated again and again', async () => {
    const log = opened(100, { filesMax: 3, ageDaysMax: 7 });
    for (let i = 0; i < 100; i++) {
      now += DAY_MS;
      await write(log, `${'x'.repeat(60)}\n`);
    }
    await log.close();
    assert.equal(files().length, 4);
    now += 6 * DAY_MS;
    await opened(100, { filesMax: 3, ageDaysMax: 7 }).close();
    assert.equal(files().length, 3, 'one of the old ones is eight days old');
  });
});

describe('BackupNames', () => {
  it('recognizes only its own files', () => {
    const names = new BackupNames('/logs/a.b.log');
    assert.equal(names.at(0), '/logs/a.b-1970-01-01T00-00-00.000.log');
    assert.equal(names.timeOf('a.b-1970-01-01T00-00-01.500.log'), 1500);
    assert.equal(names.timeOf('a.b-1970-01-01T00-00-01.500.log.gz'), 1500);
    for (const other of [
      'a.b.log',
      'a.b-1970.log',
      'x-1970-01-01T00-00-01.500.log',
      'a.b-1970-99-01T00-00-01.500.log',
      'a.b-1970-01-01T00-00-01.500.txt',
    ])
      assert.equal(names.timeOf(other), undefined, other);
  });
});

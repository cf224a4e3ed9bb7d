import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openInside } from './open-inside.ts';

describe('openInside', () => {
  let above: string;
  let root: string;
  before(() => {
    above = realpathSync(mkdtempSync(path.join(tmpdir(), 'binnacle-inside-')));
    root = path.join(above, 'log');
    mkdirSync(path.join(root, 'pods'), { recursive: true });
    mkdirSync(path.join(above, 'log-of-others'));
    for (const file of ['log/a.log', 'log/pods/b.log', 'secret', 'log-of-others/secret'])
      writeFileSync(path.join(above, file), file);
    symlinkSync('a.log', path.join(root, 'current'));
    symlinkSync('../secret', path.join(root, 'out'));
    symlinkSync('../log-of-others', path.join(root, 'others'));
    symlinkSync('/', path.join(root, 'everything'));
    symlinkSync('loop', path.join(root, 'loop'));
    symlinkSync('gone', path.join(root, 'dangling'));
    symlinkSync('/dev/zero', path.join(root, 'zero'));
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
  });
  after(() => rmSync(above, { recursive: true, force: true }));

  /** The result for a path; `-` for what is not served. */
  async function found(...segments: string[]): Promise<string> {
    const entry = await openInside(root, segments);
    if (entry === undefined) return '-';
    const text = entry.stats.isDirectory() ? 'directory' : await entry.handle.readFile('utf8');
    await entry.handle.close();
    return text;
  }

  it('opens files and directories', async () => {
    assert.deepEqual(
      [await found(), await found('a.log'), await found('pods'), await found('pods', 'b.log')],
      ['directory', 'log/a.log', 'directory', 'log/pods/b.log'],
    );
  });

  it('follows links that stay inside, and no others', async () => {
    assert.equal(await found('current'), 'log/a.log');
    for (const segments of [
      ['out'],
      ['others'],
      ['others', 'secret'],
      ['everything'],
      ['everything', 'etc', 'passwd'],
      ['zero'],
    ])
      assert.equal(await found(...segments), '-', segments.join('/'));
  });

  it('neither waits for pipes, nor opens sockets', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(path.join(root, 'socket'), resolve));
    try {
      for (const name of ['pipe', 'socket']) assert.equal(await found(name), '-', name);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('rejects with what the system says of everything else', async () => {
    for (const [segments, code] of [
      [['missing'], 'ENOENT'],
      [['dangling'], 'ENOENT'],
      [['loop'], 'ELOOP'],
      [['a.log', 'x'], 'ENOTDIR'],
      [['x'.repeat(5000)], 'ENAMETOOLONG'],
    ] as const) {
      await assert.rejects(openInside(root, segments), { code });
    }
  });

  it('opens nothing elsewhere while a link replaces a directory again and again', async () => {
    const [real, away, link] = [path.join(root, 'swapped'), path.join(above, 'away'), path.join(above, 'link')];
    mkdirSync(real);
    writeFileSync(path.join(real, 'secret'), 'harmless');
    symlinkSync('../log-of-others', link);
    // In a separate process: it has to run between any two steps.
    const swapper = spawn(
      process.execPath,
      [
        '-e',
        `const { renameSync } = require('node:fs'); const [real, away, link] = process.argv.slice(1); for (let i = 0; i < 20000; i++) { renameSync(real, away); renameSync(link, real); renameSync(real, link); renameSync(away, real); }`,
        real,
        away,
        link,
      ],
      { stdio: 'ignore' },
    );
    const over = once(swapper, 'exit');
    const texts = new Set<string>();
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (swapper.exitCode === null && swapper.signalCode === null)
          texts.add(await found('swapped', 'secret').catch(() => '-'));
      }),
    );
    assert.deepEqual(await over, [0, null]);
    assert.deepEqual(
      [...texts].filter((text) => text !== '-' && text !== 'harmless'),
      [],
    );
  });
});

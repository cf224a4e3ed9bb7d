import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Logger } from './logger.ts';

interface Line {
  level: string;
  time: string;
  msg: string;
  [field: string]: unknown;
}

function open(verbosity: number): { logger: Logger; lines: Line[]; raw: string[] } {
  const raw: string[] = [];
  const lines: Line[] = [];
  const logger = Logger.open({
    verbosity,
    destination: {
      write(line: string) {
        raw.push(line);
        lines.push(JSON.parse(line) as Line);
      },
    },
  });
  return { logger, lines, raw };
}

describe('Logger', () => {
  it('writes one JSON object a line', () => {
    const { logger, lines, raw } = open(0);
    logger.info('hello\nthere', { port: 6443 });
    const { time, ...rest } = lines[0]!;
    assert.deepEqual(rest, { level: 'info', msg: 'hello\nthere', port: 6443 });
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(raw[0]!.indexOf('\n'), raw[0]!.length - 1);
  });

  it('writes the lines of its verbosity', () => {
    const levels = (verbosity: number): string => {
      const { logger, lines } = open(verbosity);
      for (const level of ['error', 'warn', 'info', 'debug', 'trace'] as const) logger[level]('x');
      return lines.map((l) => l.level).join(' ');
    };
    assert.equal(levels(0), 'error warn info');
    assert.equal(levels(3), 'error warn info');
    assert.equal(levels(4), 'error warn info debug');
    assert.equal(levels(6), 'error warn info debug trace');
    assert.equal(open(3).logger.enabled(3), true);
    assert.equal(open(2).logger.enabled(3), false);
  });

  it('gives children its settings and their fields', () => {
    const { logger, lines } = open(4);
    const child = logger.child({ component: 'cacher' }).child({ token: 'abc' });
    child.debug('loaded', { objects: 5 });
    assert.deepEqual(
      { ...lines[0]!, time: '' },
      { time: '', level: 'debug', component: 'cacher', token: '[redacted]', msg: 'loaded', objects: 5 },
    );
  });

  it('redacts secrets, by name, by form or by value', () => {
    const { logger, raw } = open(0);
    logger.redact('correct horse battery');
    logger.warn('password=hunter22', {
      headers: { authorization: 'Bearer abcdef' },
      url: 'https://a:b22@c/',
      error: new Error('the token=zzz111 was refused'),
    });
    logger.child({ note: 'correct horse battery' }).info('correct horse battery staple');
    assert.equal(raw.length, 2);
    assert.doesNotMatch(raw.join(''), /hunter22|abcdef|b22|zzz111|correct horse/);
  });

  it('survives a full disk, and reports that lines are lost', async () => {
    // Every write to this device fails for lack of space.
    const logger = Logger.open({ verbosity: 0, destination: openSync('/dev/full', 'w') });
    const child = logger.child({ component: 'cacher' });
    child.assertWritten();
    logger.info('lost');
    const hasFailed = (): boolean => {
      try {
        return (child.assertWritten(), false);
      } catch (error) {
        assert.match(String(error), /^Error: the log cannot be written: ENOSPC/);
        return true;
      }
    };
    while (!hasFailed()) await setImmediate();
    assert.throws(() => logger.assertWritten(), /ENOSPC/);
  });

  it('has written every line when the process exits, in any way', async () => {
    const script = (end: string): string => `
      const { Logger } = await import(${JSON.stringify(fileURLToPath(new URL('logger.ts', import.meta.url)))});
      const logger = Logger.open({ verbosity: 0 });
      for (let i = 0; i < 3000; i++) logger.info('line', { i, filler: 'x'.repeat(100) });
      ${end}`;
    const run = (end: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script(end)], {
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let text = '';
        child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
        child.once('error', reject).once('close', () => resolve(text));
      });
    for (const text of await Promise.all([run('process.exit(3)'), run('throw new Error("boom")')])) {
      const lines = text.split('\n').filter((line) => line.startsWith('{"level"'));
      assert.equal(lines.length, 3000);
      assert.equal((JSON.parse(lines.at(-1)!) as { i: number }).i, 2999);
    }
  });
});

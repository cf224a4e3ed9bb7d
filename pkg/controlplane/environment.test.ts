import assert from 'node:assert/strict';
import { forbidden, internalError } from '../apimachinery/errors/status-error.ts';
import { Logger } from '../logging/logger.ts';
import { errorReport } from './environment.ts';

describe('errorReport', () => {
  const reported = (error: unknown): { line: any; seen: unknown[] } => {
    const lines: string[] = [];
    const seen: unknown[] = [];
    const logger = Logger.open({ verbosity: 0, destination: { write: (line) => void lines.push(line) } });
    errorReport({ logger, workerFile: '', onError: (...args) => void seen.push(...args) })(error, 'a controller');
    assert.equal(lines.length, 1);
    return { line: JSON.parse(lines[0]!), seen };
  };

  it('logs what the server rejects as one line without a stack', () => {
    const error = forbidden({ group: '', resource: 'pods' }, 'web-1', 'exceeded quota: q');
    const { line, seen } = reported(error);
    delete line.time;
    assert.deepEqual(line, {
      level: 'warn',
      msg: 'request rejected',
      where: 'a controller',
      code: 403,
      reason: 'Forbidden',
      error: error.message,
    });
    assert.deepEqual(seen, [error, 'a controller']);
  });

  it('logs all other errors with their stack', () => {
    for (const error of [new Error('broken'), internalError('broken')]) {
      const { line } = reported(error);
      assert.deepEqual([line.level, line.msg], ['error', 'unexpected error']);
      assert.match(line.error.stack, /environment\.test/);
    }
  });
});

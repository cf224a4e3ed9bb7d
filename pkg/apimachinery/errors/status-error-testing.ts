import assert from 'node:assert/strict';
import { StatusError } from './status-error.ts';

/** For `assert.throws` and `assert.rejects`: that a StatusError with this code and message was thrown. */
export const refusal =
  (code: number, message: string | RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof StatusError, String(error));
    assert.equal(error.code, code);
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  };

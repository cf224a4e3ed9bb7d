import assert from 'node:assert/strict';
import type { Answer } from '../fixtures/api-client.ts';

/** A failed Status; without `reason` the Status has to have none. `message` absent: any text. */
export interface Refusal {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string | RegExp;
}

/** The answer is a whole Status that says exactly this. */
export function expectRefusal(
  answer: Pick<Answer, 'status' | 'json' | 'body' | 'headers'>,
  { code, reason, message }: Refusal,
): void {
  assert.equal(answer.status, code, answer.body.toString().slice(0, 500));
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  const status = answer.json;
  assert.equal(status.kind, 'Status');
  assert.equal(status.apiVersion, 'v1');
  assert.equal(status.status, 'Failure');
  assert.equal(status.code, code);
  assert.equal(status.reason, reason);
  if (typeof message === 'string') assert.equal(status.message, message);
  else if (message !== undefined) assert.match(status.message, message);
}

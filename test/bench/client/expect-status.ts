import type { Answer } from './http-connection.ts';

const shownChars = 400;

/** Returns the answer; throws what the server said when its status is another. */
export function expectStatus(answer: Answer, status: number, what: string): Answer {
  if (answer.status !== status)
    throw new Error(
      `${what}: status ${answer.status} instead of ${status}: ${(answer.body ?? '').slice(0, shownChars)}`,
    );
  return answer;
}

import { answerError, toAnswer } from '../answers/answer-error.ts';
import type { Filter } from '../request/request-context.ts';

/**
 * Turns whatever the rest of the chain throws into an answer. What is no Status error, nor a store's, is told to
 * `onError` and answered as 500.
 */
export function recover(onError: (error: unknown, path: string) => void): Filter {
  return (next) => async (context) => {
    try {
      await next(context);
    } catch (thrown) {
      answerError(context, toAnswer(context, thrown), onError);
    }
  };
}

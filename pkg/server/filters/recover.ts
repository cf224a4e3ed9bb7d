import { answerError, toAnswer } from '../answers/answer-error.ts';
import type { Filter } from '../request/request-context.ts';

/**
 * Turns errors of the rest of the chain into answers. Anything but a Status error or a store's is reported to `onError`
 * and answered as 500.
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

import type { ApiPage } from '../api-page/api-page.ts';
import type { Filter } from '../request/request-context.ts';
import { respondBytes } from '../answers/respond.ts';

/**
 * Answers for the API page ahead of authentication: a browser has no credential yet when a user opens the page to type
 * one in. Nothing continues from here: a path of the page is answered with one of its files, and every other path is
 * authenticated and authorized like all. `page` is absent where there is none.
 */
export function showApiPage(page: ApiPage | undefined): Filter {
  if (page === undefined) return (next) => next;
  return (next) => async (context) => {
    const { headers, info, method } = context;
    if (method !== 'GET' && method !== 'HEAD') return next(context);
    const answer = page.answer({
      path: info.path,
      acceptEncoding: headers['accept-encoding'] as string | undefined,
      ifNoneMatch: headers['if-none-match'],
    });
    if (answer === undefined) return next(context);
    const {
      status,
      contentType,
      body,
      headers: { 'content-type': _, ...more },
    } = await answer;
    respondBytes(context, status, contentType, body, more);
  };
}

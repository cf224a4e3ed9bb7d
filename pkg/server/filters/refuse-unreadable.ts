import type { Filter } from '../request-context.ts';

/** Answers requests whose body was too long or broken; after authentication, so that strangers learn nothing. */
export function refuseUnreadable(): Filter {
  return (next) => (context) => {
    if (context.bodyRefusal !== undefined) throw context.bodyRefusal;
    return next(context);
  };
}

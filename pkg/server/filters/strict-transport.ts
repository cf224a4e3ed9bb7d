import type { Filter } from '../request/request-context.ts';

/**
 * Requires browsers to use TLS alone in every answer: `directives` of `--strict-transport-security-directives` (RFC
 * 6797, section 6.1).
 */
export function strictTransport(directives: readonly string[]): Filter {
  if (directives.length === 0) return (next) => next;
  const value = directives.join('; ');
  return (next) => (context) => {
    context.exchange.setHeader('strict-transport-security', value);
    return next(context);
  };
}

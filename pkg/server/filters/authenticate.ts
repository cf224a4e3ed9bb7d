import { UNAUTHENTICATED } from '../../authentication/anonymous/authenticator.ts';
import {
  InvalidCredentials,
  type Authenticated,
  type RequestAuthenticator,
} from '../../authentication/authenticator.ts';
import type { Logger } from '../../logging/logger.ts';
import { trustConnection } from '../listener/unauthenticated-streams.ts';
import type { Filter, Handler, RequestContext } from '../request/request-context.ts';

/**
 * Authenticates requests; all others are refused without the reason, which is in the server's log. The credential goes
 * no further. Calls in this process name their user.
 */
export function authenticate(
  authenticator: RequestAuthenticator,
  logger: Pick<Logger, 'debug'>,
  onError: (error: unknown, where: string) => void,
  refuse: Handler,
): Filter {
  return (next) => async (context) => {
    const { user } = context.exchange;
    if (user !== undefined) {
      context.user = user;
      return next(context);
    }
    const known = await ask(authenticator, context, logger, onError);
    if (known === undefined) return refuse(context);
    context.user = known.user;
    if (!known.user.groups.includes(UNAUTHENTICATED)) trustConnection(context.request);
    for (const [key, value] of Object.entries(known.annotations ?? {})) context.annotate(key, value);
    for (const warning of known.warnings ?? []) context.warn(warning);
    context.removeHeader('authorization');
    return next(context);
  };
}

async function ask(
  authenticator: RequestAuthenticator,
  context: RequestContext,
  logger: Pick<Logger, 'debug'>,
  onError: (error: unknown, where: string) => void,
): Promise<Authenticated | undefined> {
  try {
    return await authenticator.authenticate(context);
  } catch (error) {
    if (error instanceof InvalidCredentials)
      logger.debug('credentials refused', { id: context.id, reason: error.message });
    else onError(error, 'authentication');
    return undefined;
  }
}

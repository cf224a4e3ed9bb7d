import { badRequest } from '../../apimachinery/errors/status-error.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../../authentication/authenticator.ts';
import type { TokenReview, TokenReviewStatus } from '../../generated/types/authentication-v1.ts';
import { reviewHandler } from './review.ts';
import type { KindHandler } from '../subresources/subresource-handlers.ts';
import { userDocument } from '../verbs/user-document.ts';

/** Reports the same for every bad token: the failed check stays secret. */
const UNKNOWN: TokenReviewStatus = { user: {}, error: 'invalid bearer token' };

/** Authenticates a token for services. `own`: audiences of this server, for reviews that name none. */
export function handleTokenReview(tokens: TokenAuthenticator, own: readonly string[]): KindHandler {
  return reviewHandler<TokenReview>(async (object) => {
    const presented = object.spec.token ?? '';
    if (presented === '') throw badRequest('token is required for TokenReview in authentication');
    const asked = object.spec.audiences ?? [];
    const known = await whose(tokens, presented, asked.length > 0 ? asked : own);
    object.status = known === undefined ? UNKNOWN : statusOf(known);
  });
}

function statusOf({ user, audiences }: Authenticated): TokenReviewStatus {
  return {
    authenticated: true,
    user: userDocument(user),
    ...(audiences === undefined || audiences.length === 0 ? {} : { audiences: [...audiences] }),
  };
}

async function whose(
  tokens: TokenAuthenticator,
  token: string,
  audiences: readonly string[],
): Promise<Authenticated | undefined> {
  try {
    return await tokens.authenticateToken(token, audiences);
  } catch (error) {
    if (error instanceof InvalidCredentials) return undefined;
    throw error;
  }
}

import { badRequest } from '../../apimachinery/status-error.ts';
import { InvalidCredentials, type Authenticated, type TokenAuthenticator } from '../../authentication/authenticator.ts';
import type { TokenReview } from '../../generated/types/authentication-v1.ts';
import { reviewHandler } from './review.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';
import { userDocument } from './user-document.ts';

/** Whose token it is, for services that are shown one. */
export function handleTokenReview(tokens: TokenAuthenticator): SubresourceHandler {
  return reviewHandler<TokenReview>(async (object) => {
    const presented = object.spec.token ?? '';
    if (presented === '') throw badRequest('token is required for TokenReview in authentication');
    const known = await whose(tokens, presented, object.spec.audiences ?? []);
    object.status = known === undefined ? { user: {}, error: 'invalid bearer token' } : { authenticated: true, user: userDocument(known.user) };
  });
}

async function whose(tokens: TokenAuthenticator, token: string, audiences: readonly string[]): Promise<Authenticated | undefined> {
  try {
    return await tokens.authenticateToken(token, audiences);
  } catch (error) {
    if (error instanceof InvalidCredentials) return undefined;
    throw error;
  }
}

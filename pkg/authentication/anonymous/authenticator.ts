import type { UserInfo } from '../../api/resource-definition.ts';
import type { RequestAuthenticator } from '../authenticator.ts';

export const ANONYMOUS = 'system:anonymous';
export const UNAUTHENTICATED = 'system:unauthenticated';

const nobody: UserInfo = { name: ANONYMOUS, groups: [UNAUTHENTICATED] };

/** Unauthenticated requests. Runs last: a request with invalid credentials is refused, not anonymous. */
export const anonymousAuthenticator: RequestAuthenticator = {
  name: 'Anonymous',
  authenticate: () => ({ user: nobody }),
};

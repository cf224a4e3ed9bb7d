import type { UserInfo } from '../../api/resource-definition.ts';
import type { RequestAuthenticator } from '../authenticator.ts';

export const ANONYMOUS = 'system:anonymous';
export const UNAUTHENTICATED = 'system:unauthenticated';

const nobody: UserInfo = { name: ANONYMOUS, groups: [UNAUTHENTICATED] };

/** Everybody who shows nothing. Stands last: whoever shows something bad is not nobody. */
export const anonymousAuthenticator: RequestAuthenticator = {
  name: 'Anonymous',
  authenticate: () => ({ user: nobody }),
};

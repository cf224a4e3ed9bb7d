import type { StoreAccess } from '../registry/store-access.ts';
import type { AuthenticationConfig } from './authentication-config.ts';
import type { AuthenticationObserver } from './authentication-observer.ts';

/** What authenticators are built from. */
export interface AuthenticationSettings {
  readonly config: AuthenticationConfig;
  readonly stores: StoreAccess;
  /** The administrator's token, which is always valid. */
  readonly adminToken: string;
  /** PEM of the secure port's private key: verifies tokens of service accounts where no option names a key. */
  readonly servingKey: string;
  /** Where others reach this server. */
  readonly address: { readonly hostPort: string };
  readonly observer: AuthenticationObserver;
  readonly onError: (error: unknown, where: string) => void;
  readonly nowMs: () => number;
}

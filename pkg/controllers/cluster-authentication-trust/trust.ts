/** Whom an API server believes, as extension servers need to know it. */
export interface AuthenticationTrust {
  /** Certificates of the authorities of clients, PEM. Absent: certificates of clients say nothing. */
  readonly clientCa?: string;
  /** Absent: no proxy is believed. */
  readonly requestHeader?: RequestHeaderTrust;
}

export interface RequestHeaderTrust {
  /** Certificates of the authorities of proxies, PEM. */
  readonly ca: string;
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  /** Names of proxies; none: every proxy. */
  readonly allowedNames: readonly string[];
}

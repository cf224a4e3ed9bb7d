export const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
/** Annotations of such a secret. */
export const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
export const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

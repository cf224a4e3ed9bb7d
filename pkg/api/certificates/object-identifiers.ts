/** Extensions of certificates (RFC 5280, 4.2.1). */
export const extensionOids = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  certificatePolicies: '2.5.29.32',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** Attributes of names (X.520). */
export const attributeOids = { commonName: '2.5.4.3', serialNumber: '2.5.4.5', organization: '2.5.4.10' } as const;

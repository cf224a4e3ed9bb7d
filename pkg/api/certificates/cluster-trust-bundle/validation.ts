import { createHash, X509Certificate } from 'node:crypto';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { ClusterTrustBundle } from '../../../generated/types/certificates-v1beta1.ts';
import { type PemBlock, pemBlocks } from '../pem.ts';
import { validateSignerName } from '../signer-name.ts';

const OMITTED = '<value omitted>';

export function validateClusterTrustBundle({ metadata, spec }: ClusterTrustBundle, errors: FieldErrors): void {
  const signerName = spec.signerName ?? '';
  const name = metadata.name ?? '';
  for (const problem of nameProblems(name, signerName)) errors.invalid(field('metadata', 'name'), name, problem);
  if (signerName !== '') validateSignerName(signerName, field('spec', 'signerName'), errors);
  validateTrustBundle(spec.trustBundle, field('spec', 'trustBundle'), errors);
}

export function validateClusterTrustBundleUpdate(
  object: ClusterTrustBundle,
  old: ClusterTrustBundle,
  errors: FieldErrors,
): void {
  const path = field('spec');
  // An unchanged bundle is not checked again.
  if (object.spec.trustBundle !== old.spec.trustBundle)
    validateTrustBundle(object.spec.trustBundle, path.child('trustBundle'), errors);
  validateImmutableField(object.spec.signerName, old.spec.signerName, path.child('signerName'), errors);
}

/** Bundles of a signer carry its name in theirs. */
function nameProblems(name: string, signerName: string): string[] {
  if (signerName === '') {
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : nameIsDns1123Subdomain(name, false);
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  if (!name.startsWith(prefix))
    return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
  return nameIsDns1123Subdomain(name.slice(prefix.length), false);
}

function validateTrustBundle(text: string, path: FieldPath, errors: FieldErrors): void {
  const places = new Map<string, number[]>();
  const before = errors.length;
  let i = 0;
  for (const block of pemBlocks(text)) {
    const problem = anchorProblem(block);
    if (problem !== undefined) errors.invalid(path, OMITTED, `entry ${i} ${problem}`);
    const digest = createHash('sha256').update(block.bytes).digest('base64');
    places.set(digest, [...(places.get(digest) ?? []), i]);
    i++;
  }
  if (errors.length > before) return;
  if (i === 0) return errors.invalid(path, OMITTED, 'at least one trust anchor must be provided');
  for (const indices of places.values()) {
    if (indices.length > 1) errors.invalid(path, OMITTED, `duplicate trust anchor (indices [${indices.join(' ')}])`);
  }
}

function anchorProblem(block: PemBlock): string | undefined {
  if (block.type !== 'CERTIFICATE') return `has bad block type: ${block.type}`;
  if (block.headers > 0) return 'has PEM block headers';
  try {
    return new X509Certificate(block.bytes).ca ? undefined : 'does not have the CA bit set';
  } catch {
    // OpenSSL's own message would tell a client no more.
    return 'does not parse as X.509';
  }
}

import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type {
  ClusterTrustBundleProjection,
  KeyToPath,
  PodCertificateProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../generated/types/core-v1.ts';
import { validateDownwardFile } from './downward-api.ts';
import { validateKeyToPath } from './key-to-path.ts';
import { validateLocalNonReservedPath } from './local-path.ts';

const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;
const CERTIFICATE_SECONDS_MIN = 3600;
const CERTIFICATE_SECONDS_MAX = 91 * 86400;
const CERTIFICATE_KEY_TYPES = ['ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519', 'RSA3072', 'RSA4096'];

/**
 * The sources of a projected volume; all write into one directory, so that no file may come twice. `path` is the volume
 * source's.
 */
export function validateProjections(sources: readonly VolumeProjection[], path: FieldPath, errors: FieldErrors): void {
  const files = new Files(path, errors);
  for (const [i, source] of sources.entries()) {
    const at = path.child('sources').index(i);
    if (source.secret !== undefined) validateKeyed(source.secret, at.child('secret'), files, errors);
    if (source.configMap !== undefined) validateKeyed(source.configMap, at.child('configMap'), files, errors);
    for (const file of source.downwardAPI?.items ?? []) {
      validateDownwardFile(file, at.child('downwardAPI'), errors);
      if (file.path !== '') files.add(file.path, file.path);
    }
    if (source.serviceAccountToken !== undefined)
      validateToken(source.serviceAccountToken, path, at.child('serviceAccountToken'), errors);
    if (source.clusterTrustBundle !== undefined)
      validateTrustBundle(source.clusterTrustBundle, at.child('clusterTrustBundle'), files, errors);
    if (source.podCertificate !== undefined)
      validateCertificate(source.podCertificate, at.child('podCertificate'), files, errors);
    if (Object.values(source).filter((s) => s !== undefined).length > 1)
      errors.forbidden(at, 'may not specify more than 1 volume type');
  }
}

/** The files of one volume. */
class Files {
  private readonly seen = new Set<string>();
  private readonly path: FieldPath;
  private readonly errors: FieldErrors;

  constructor(path: FieldPath, errors: FieldErrors) {
    this.path = path;
    this.errors = errors;
  }

  /** `shown` is the value that the error names. */
  add(file: string, shown: string): void {
    if (this.seen.has(file)) this.errors.invalid(this.path, shown, 'conflicting duplicate paths');
    this.seen.add(file);
  }
}

function validateKeyed(
  source: { name?: string; items?: KeyToPath[] },
  path: FieldPath,
  files: Files,
  errors: FieldErrors,
): void {
  const name = source.name ?? '';
  if (name === '') errors.required(path.child('name'));
  for (const [i, item] of (source.items ?? []).entries()) {
    validateKeyToPath(item, path.child('items').index(i), errors);
    if (item.path !== '') files.add(item.path, name);
  }
}

/** `volumePath`: a missing file name is reported there, as Kubernetes does. */
function validateToken(
  token: ServiceAccountTokenProjection,
  volumePath: FieldPath,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const seconds = token.expirationSeconds ?? 0;
  if (seconds < TOKEN_SECONDS_MIN)
    errors.invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > TOKEN_SECONDS_MAX)
    errors.invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds');
  if (token.path === '') errors.required(volumePath.child('path'));
  else validateLocalNonReservedPath(token.path, volumePath.child('path'), errors);
}

function validateTrustBundle(
  bundle: ClusterTrustBundleProjection,
  path: FieldPath,
  files: Files,
  errors: FieldErrors,
): void {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    errors.invalid(path, bundle, 'only one of name and signerName may be used');
  } else if (name !== undefined) {
    if (name === '') errors.required(path.child('name'), 'must be a valid object name');
    const last = name.slice(name.lastIndexOf(':') + 1);
    for (const problem of nameIsDns1123Subdomain(last, false))
      errors.invalid(path.child('name'), name, `not a valid clustertrustbundlename: ${problem}`);
    if (labelSelector !== undefined)
      errors.invalid(path.child('labelSelector'), labelSelector, 'labelSelector must be unset if name is specified');
  } else if (signerName !== undefined) {
    validateSigner(signerName, path.child('signerName'), errors);
    if (labelSelector !== undefined) validateLabelSelector(labelSelector, path.child('labelSelector'), errors);
  } else {
    errors.required(path, 'either name or signerName must be specified');
  }
  if (bundle.path === '') errors.required(path.child('path'));
  validateLocalNonReservedPath(bundle.path, path.child('path'), errors);
  files.add(bundle.path, bundle.path);
}

function validateSigner(signerName: string, path: FieldPath, errors: FieldErrors): void {
  if (signerName === '') return errors.required(path, 'must be a valid signer name');
  const [domain = '', ...rest] = signerName.split('/');
  if (rest.length !== 1 || rest[0] === '')
    return errors.invalid(
      path,
      signerName,
      'must be a fully qualified domain and path of the form "example.com/signer-name"',
    );
  for (const problem of nameIsDns1123Subdomain(domain, false))
    errors.invalid(path, domain, `validating label "${domain}": ${problem}`);
}

function validateCertificate(
  certificate: PodCertificateProjection,
  path: FieldPath,
  files: Files,
  errors: FieldErrors,
): void {
  validateSigner(certificate.signerName ?? '', path.child('signerName'), errors);
  const keyType = certificate.keyType ?? '';
  if (!CERTIFICATE_KEY_TYPES.includes(keyType))
    errors.notSupported(path.child('keyType'), keyType, CERTIFICATE_KEY_TYPES);
  const seconds = certificate.maxExpirationSeconds;
  if (seconds !== undefined && (seconds < CERTIFICATE_SECONDS_MIN || seconds > CERTIFICATE_SECONDS_MAX)) {
    errors.invalid(
      path.child('maxExpirationSeconds'),
      seconds,
      `if provided, maxExpirationSeconds must be >= ${CERTIFICATE_SECONDS_MIN} and <= ${CERTIFICATE_SECONDS_MAX}`,
    );
  }
  const names = ['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const;
  if (names.every((name) => !certificate[name]))
    errors.required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath');
  for (const name of names) {
    const file = certificate[name];
    if (!file) continue;
    validateLocalNonReservedPath(file, path.child(name), errors);
    files.add(file, file);
  }
}

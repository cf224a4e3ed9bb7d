/** Image references, `[domain[:port]/]path[:tag][@digest]`. Only the part that defaults need: the tag. */

const DOMAIN_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const DOMAIN = new RegExp(`^${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*(?::[0-9]+)?$`);
const PATH_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const REMAINDER = new RegExp(
  `^${PATH_PART}(?:/${PATH_PART})*(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
/** A bare content hash is no name. */
const BARE_HASH = /^[a-f0-9]{64}$/;
const NAME_LENGTH_MAX = 255;
const REFERENCE_LENGTH_MAX = 4096;

/**
 * The tag of an image: `latest` when neither tag nor digest is given, empty with a digest alone or when the reference
 * is malformed.
 */
export function imageTag(image: string): string {
  if (image.length > REFERENCE_LENGTH_MAX || BARE_HASH.test(image)) return '';
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const hasDomain = first.includes('.') || first.includes(':') || first === 'localhost';
  if (hasDomain && !DOMAIN.test(first)) return '';
  const match = REMAINDER.exec(hasDomain ? image.slice(slash + 1) : image);
  if (match === null) return '';
  const [, tag, digest] = match;
  const nameLength =
    image.length - (tag === undefined ? 0 : tag.length + 1) - (digest === undefined ? 0 : digest.length + 1);
  if (nameLength > NAME_LENGTH_MAX) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { isDns1123Subdomain, isValidPortNum } from '../../apimachinery/names/names.ts';

/** How the server reaches a webhook, in webhook configurations and custom resource definitions. */
interface ClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly name: string;
    readonly namespace: string;
    readonly path?: string;
    readonly port?: number;
  };
}

const FORM = '; desired format: https://host[/path]';
const URL_PARTS = /^([^#]*?)(\?[^#]*)?(#.*)?$/s;
const SCHEME_AND_REST = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s;

/** Exactly one of a URL and a service. */
export function validateWebhookClientConfig(
  { url, service }: ClientConfig,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if ((url === undefined) === (service === undefined))
    return errors.required(path, 'exactly one of url or service is required');
  if (url !== undefined) return validateWebhookUrl(url, path.child('url'), errors);
  const { name, namespace, path: servicePath, port = 0 } = service!;
  const at = path.child('service');
  if (name === '') errors.required(at.child('name'), 'service name is required');
  if (namespace === '') errors.required(at.child('namespace'), 'service namespace is required');
  const problems = isValidPortNum(port);
  if (problems.length > 0) errors.invalid(at.child('port'), port, `port is not valid: ${problems.join(',')}`);
  if (servicePath !== undefined) validateServicePath(servicePath, at.child('path'), errors);
}

function validateWebhookUrl(url: string, path: FieldPath, errors: FieldErrors): void {
  const parsed = parseUrl(url);
  if (typeof parsed === 'string')
    return errors.required(path, `url must be a valid URL: parse ${goQuote(url)}: ${parsed}${FORM}`);
  const { scheme, user, host, query, fragment } = parsed;
  if (scheme !== 'https') errors.invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`);
  if (host === '') errors.invalid(path, host, `host must be specified${FORM}`);
  if (user !== undefined) errors.invalid(path, user, 'user information is not permitted in the URL');
  if (fragment !== '') errors.invalid(path, fragment, 'fragments are not permitted in the URL');
  if (query !== '') errors.invalid(path, query, 'query parameters are not permitted in the URL');
}

interface UrlParts {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** The parts as Go's parser reads them (the platform's URL class accepts some invalid ones), or the error. */
function parseUrl(url: string): UrlParts | string {
  // Checked by code: a pattern with control characters is hard to read.
  for (let i = 0; i < url.length; i++) {
    const code = url.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return 'net/url: invalid control character in URL';
  }
  const [, main = '', query = '', fragment = ''] = URL_PARTS.exec(url)!;
  if (main.startsWith(':')) return 'missing protocol scheme';
  const match = SCHEME_AND_REST.exec(main);
  const rest = match?.[2] ?? main;
  const authority = rest.startsWith('//') ? (rest.slice(2).split('/')[0] ?? '') : '';
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (/\s/.test(host)) return `invalid character ${goQuote(' ')} in host name`;
  if (/:[^\]]*[^0-9\]][^\]]*$/.test(host))
    return `invalid port ${goQuote(host.slice(host.lastIndexOf(':')))} after host`;
  return {
    scheme: (match?.[1] ?? '').toLowerCase(),
    user: at < 0 ? undefined : authority.slice(0, at),
    host,
    query: query.slice(1),
    fragment: fragment.slice(1),
  };
}

/** Every segment is a DNS name. */
function validateServicePath(text: string, path: FieldPath, errors: FieldErrors): void {
  if (text === '' || text === '/') return;
  if (text === '//') return errors.invalid(path, text, 'segment[0] may not be empty');
  if (!text.startsWith('/')) errors.invalid(path, text, "must start with a '/'");
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  for (const [i, segment] of segments.entries()) {
    if (segment === '') errors.invalid(path, text, `segment[${i}] may not be empty`);
    else for (const problem of isDns1123Subdomain(segment)) errors.invalid(path, text, `segment[${i}]: ${problem}`);
  }
}

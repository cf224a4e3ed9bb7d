/**
 * The formats of names and keys. Each check returns the errors of the text, in the words of Kubernetes 1.25 (clients
 * print and match them), and nothing when the text is valid. Lengths are bytes of UTF-8.
 */

import { emptyError, maxLenError, regexError } from './name-problems.ts';

const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;
const DNS1123_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`;
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS1123_SUBDOMAIN}`;
const PERCENT = '[0-9]+%';
const HTTP_HEADER_NAME = '[-A-Za-z0-9]+';
const ENV_VAR_NAME = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const CONFIG_MAP_KEY = '[-._a-zA-Z0-9]+';

export const LABEL_BYTES_MAX = 63;
export const SUBDOMAIN_BYTES_MAX = 253;

/** One format: the pattern, the longest length, and the message when the text does not match. */
interface Format {
  readonly regex: RegExp;
  readonly bytesMax: number;
  readonly problem: string;
}

function format(pattern: string, bytesMax: number, words: string, ...examples: string[]): Format {
  return { regex: new RegExp(`^${pattern}$`), bytesMax, problem: regexError(words, pattern, ...examples) };
}

const FORMATS = {
  qualifiedName: format(
    QUALIFIED_NAME,
    LABEL_BYTES_MAX,
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    'MyName',
    'my.name',
    '123-abc',
  ),
  labelValue: format(
    LABEL_VALUE,
    LABEL_BYTES_MAX,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
      'alphanumeric character',
    'MyValue',
    'my_value',
    '12345',
  ),
  dns1123Label: format(
    DNS1123_LABEL,
    LABEL_BYTES_MAX,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
      'alphanumeric character',
    'my-name',
    '123-abc',
  ),
  dns1123Subdomain: format(
    DNS1123_SUBDOMAIN,
    SUBDOMAIN_BYTES_MAX,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
      'alphanumeric character',
    'example.com',
  ),
  dns1035Label: format(
    DNS1035_LABEL,
    LABEL_BYTES_MAX,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an " +
      'alphanumeric character',
    'my-name',
    'abc-123',
  ),
  wildcardSubdomain: format(
    WILDCARD_SUBDOMAIN,
    SUBDOMAIN_BYTES_MAX,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case " +
      "alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    '*.example.com',
  ),
  percent: format(
    PERCENT,
    Infinity,
    "a valid percent string must be a numeric string followed by an ending '%'",
    '1%',
    '93%',
  ),
  httpHeaderName: format(
    HTTP_HEADER_NAME,
    Infinity,
    "a valid HTTP header must consist of alphanumeric characters or '-'",
    'X-Header-Name',
  ),
  envVarName: format(
    ENV_VAR_NAME,
    Infinity,
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
    'my.env-name',
    'MY_ENV.NAME',
    'MyEnvName1',
  ),
  configMapKey: format(
    CONFIG_MAP_KEY,
    SUBDOMAIN_BYTES_MAX,
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    'key.name',
    'KEY_NAME',
    'key-name',
  ),
} as const;

function check(value: string, { regex, bytesMax, problem }: Format): string[] {
  const problems: string[] = [];
  // The regex error goes second in the answer but the regex is linear, and most texts are short.
  if (value.length * 3 > bytesMax && Buffer.byteLength(value) > bytesMax) problems.push(maxLenError(bytesMax));
  if (!regex.test(value)) problems.push(problem);
  return problems;
}

export const isDns1123Label = (value: string): string[] => check(value, FORMATS.dns1123Label);
export const isDns1123Subdomain = (value: string): string[] => check(value, FORMATS.dns1123Subdomain);
export const isDns1035Label = (value: string): string[] => check(value, FORMATS.dns1035Label);
export const isWildcardDns1123Subdomain = (value: string): string[] => check(value, FORMATS.wildcardSubdomain);
export const isValidLabelValue = (value: string): string[] => check(value, FORMATS.labelValue);
export const isPercent = (value: string): string[] => check(value, FORMATS.percent);
export const isHttpHeaderName = (value: string): string[] => check(value, FORMATS.httpHeaderName);
export const isEnvVarName = (value: string): string[] => [...check(value, FORMATS.envVarName), ...dotProblems(value)];
export const isConfigMapKey = (value: string): string[] => [
  ...check(value, FORMATS.configMapKey),
  ...dotProblems(value),
];

/** Keys become file names: those that leave their directory are refused. */
function dotProblems(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** A name with an optional DNS prefix: `app`, `example.com/app`. Label and annotation keys have this form. */
export function isQualifiedName(value: string): string[] {
  const { bytesMax, problem, regex } = FORMATS.qualifiedName;
  if (value.length <= bytesMax && regex.test(value)) return [];
  const parts = value.split('/');
  if (parts.length > 2)
    return [`a qualified name ${problem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  const name = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    const found = prefix === '' ? [emptyError()] : isDns1123Subdomain(prefix);
    for (const text of found) problems.push(`prefix part ${text}`);
  }
  if (name === '') problems.push(`name part ${emptyError()}`);
  else if (Buffer.byteLength(name) > bytesMax) problems.push(`name part ${maxLenError(bytesMax)}`);
  if (!regex.test(name)) problems.push(`name part ${problem}`);
  return problems;
}

/** Checks an object's name; with `prefix` the text is a `generateName`, to which a suffix is still added. */
export type NameCheck = (name: string, prefix: boolean) => string[];

/** A prefix may end in a dash: the suffix makes it valid. */
function withSuffix(name: string, prefix: boolean): string {
  return prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

export const nameIsDns1123Subdomain: NameCheck = (name, prefix) => isDns1123Subdomain(withSuffix(name, prefix));
export const nameIsDns1123Label: NameCheck = (name, prefix) => isDns1123Label(withSuffix(name, prefix));
export const nameIsDns1035Label: NameCheck = (name, prefix) => isDns1035Label(withSuffix(name, prefix));

/** Any valid segment of a URL path. */
export const nameIsPathSegment: NameCheck = (name, prefix) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
};

export { emptyError, inclusiveRangeError, maxLenError, regexError } from './name-problems.ts';
export {
  isInRange,
  isValidGroupId,
  isValidIp,
  isValidIpv4,
  isValidIpv6,
  isValidPortName,
  isValidPortNum,
  isValidSocketAddress,
  isValidUserId,
} from './network-names.ts';

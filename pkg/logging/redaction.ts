/**
 * Redacts secrets in logs: by the name of a field, by the form of a text, and by value where a secret is known. When in
 * doubt it redacts too much.
 */
const REDACTED = '[redacted]';
const TEXT_LENGTH_MAX = 8192;
const DEPTH_MAX = 6;
const ENTRIES_MAX = 64;

/** Names whose values are never shown, with any dashes, underscores and case. */
const secretName =
  /authorization|cookie|token|secret|passw(?:or)?d|passphrase|credential|privatekey|apikey|clientkey|bearer|jwt/;

const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, `${REDACTED} private key`],
  [/\beyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?/g, REDACTED],
  [/\b(authorization["']?\s*[:=]\s*["']?)(?:[a-z]+ )?[^\s"',]+/gi, `$1${REDACTED}`],
  [/\b(bearer\s+)[\w+/=.~-]{12,}/gi, `$1${REDACTED}`],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]*:[^\s/@]*@/gi, `$1${REDACTED}@`],
  [/(token|secret|passw(?:or)?d|api_?key)(["']?\s*[=:]\s*["']?)[^\s"'&,;}]{3,}/gi, `$1$2${REDACTED}`],
];

/** A text without anything in the form of a token, a key or a password; at most 8 KiB of it. */
export function redactText(text: string): string {
  let out = text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text;
  for (const [pattern, replacement] of secretTexts) out = out.replace(pattern, replacement);
  return out;
}

export function isSecretName(name: string): boolean {
  return secretName.test(name.toLowerCase().replaceAll(/[-_. ]/g, ''));
}

/**
 * A copy of a log line's fields that may be shown: bounded in depth and length, errors as plain fields, secrets
 * replaced.
 */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactEntries(Object.entries(fields), 0);
}

function redactEntries(entries: readonly (readonly [string, unknown])[], depth: number): Record<string, unknown> {
  const shown = entries
    .slice(0, ENTRIES_MAX)
    .map(
      ([name, value]) =>
        [redactText(name), isSecretName(name) && !isPlain(value) ? REDACTED : redactValue(value, depth)] as const,
    );
  // `fromEntries` defines properties: a name such as __proto__ stays a name.
  return Object.fromEntries(shown);
}

/** Shows of a secret only whether it is present. */
function isPlain(value: unknown): boolean {
  return value == null || typeof value === 'boolean';
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object')
    return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (depth >= DEPTH_MAX) return '…';
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MAX).map((item) => redactValue(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return redactValue([...value], depth);
  return redactEntries(withoutSecretData(value), depth + 1);
}

/** The data of a Secret object is not shown, under any field names. */
function withoutSecretData(object: object): (readonly [string, unknown])[] {
  const entries = Object.entries(object);
  if (!entries.some(([name, value]) => name === 'kind' && value === 'Secret')) return entries;
  return entries.map(([name, value]) => [name, name === 'data' || name === 'stringData' ? REDACTED : value] as const);
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: redactText(error.message),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: redactValue(error.errors, depth + 1) } : {}),
  };
}

/** Secrets known by value, such as the administrator's token: replaced wherever they occur in a line. */
export class KnownSecrets {
  private readonly escaped = new Set<string>();

  /**
   * Values below four characters are no secrets, and replacing them would make every line unreadable: they are skipped.
   */
  add(secret: string): void {
    if (secret.length < 4) return;
    this.escaped.add(JSON.stringify(secret).slice(1, -1));
  }

  /** `line` is JSON text. */
  redactLine(line: string): string {
    let out = line;
    for (const secret of this.escaped) out = out.replaceAll(secret, REDACTED);
    return out;
  }
}

import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { formatIp, parseIp } from '../../apimachinery/names/ip.ts';
import { parseStrictIp } from '../networking/strict-addresses.ts';

export type Warn = (at: FieldPath, text: string) => void;

/** Warns of an address that is valid for historical reasons alone, or not in its canonical text. */
export function warnOfIp(text: string, path: FieldPath, warn: Warn): void {
  const address = parseIp(text);
  if (address === undefined) return;
  const canonical = formatIp(address);
  if (parseStrictIp(text).problem !== undefined) {
    warn(
      path,
      `non-standard IP address ${goQuote(text)} will be considered invalid in a future Kubernetes release: use ${goQuote(canonical)}`,
    );
  } else if (text.includes(':') && text !== canonical) {
    warn(path, `IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(canonical)})`);
  }
}

import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import { formatIp, parseCidr, parseIp } from '../../../apimachinery/ip.ts';

/** The address of a network interface with the length of its network's prefix, in canonical form: `192.0.2.5/24`. */
export function validateInterfaceAddress(text: string, path: FieldPath, errors: FieldErrors): void {
  const cidr = parseCidr(text);
  if (cidr === undefined) return errors.invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)');
  const canonical = `${formatIp(parseIp(text.slice(0, text.indexOf('/')))!)}/${cidr.prefixBits}`;
  if (canonical !== text) errors.invalid(path, text, `must be in canonical form ("${canonical}")`);
}

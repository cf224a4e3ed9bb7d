import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { parseIp } from '../../apimachinery/names/ip.ts';

/** Traffic may be sent to the address: it is not one of the special ones of a host itself or its own link. */
export function validateNonSpecialIp(text: string, path: FieldPath, errors: FieldErrors): void {
  const ip = parseIp(text);
  if (ip === undefined) return errors.invalid(path, text, 'must be a valid IP address');
  const [first = 0, second = 0, third = 0] = ip;
  const isV4 = ip.length === 4;
  if (ip.every((byte) => byte === 0)) errors.invalid(path, text, `may not be unspecified (${text})`);
  if (isV4 ? first === 127 : isOne(ip))
    errors.invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (isV4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    errors.invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  }
  if (isV4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 0x02) {
    errors.invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  }
}

function isOne(ip: Uint8Array): boolean {
  return ip.every((byte, i) => byte === (i === ip.length - 1 ? 1 : 0));
}

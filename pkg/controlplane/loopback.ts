import { formatIp, parseIp } from '../apimachinery/names/ip.ts';

/** True for 127.0.0.0/8 and ::1, also where they are written otherwise. */
export function isLoopbackIp(text: string): boolean {
  const bytes = parseIp(text);
  if (bytes === undefined) return false;
  return bytes.length === 4 ? bytes[0] === 127 : formatIp(bytes) === '::1';
}

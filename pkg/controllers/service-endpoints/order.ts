/** Orders texts by their UTF-16 units, whatever the locale. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

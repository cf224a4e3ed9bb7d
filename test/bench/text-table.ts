/** Large ones without fractions. */
export function number(value: number | undefined): string {
  if (value === undefined) return '-';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

/** Microseconds in a unit that reads well. */
export function time(micros: number | undefined): string {
  if (micros === undefined) return '-';
  return micros >= 10_000
    ? `${number(micros / 1000)} ms`
    : micros >= 1000
      ? `${(micros / 1000).toFixed(2)} ms`
      : `${Math.round(micros)} us`;
}

/**
 * First column to the left, the others to the right. A failed row has fewer cells than the head: its message runs on.
 */
export function table(lines: readonly (readonly string[])[]): string[] {
  const head = lines[0]!;
  const whole = lines.filter((line) => line.length === head.length);
  const widths = head.map((_, column) =>
    Math.max(...(column === 0 ? lines : whole).map((line) => line[column]!.length)),
  );
  return lines.map((line) =>
    line
      .map((cell, column) => {
        if (column === 0) return cell.padEnd(widths[0]!);
        return line.length === head.length ? cell.padStart(widths[column]!) : cell;
      })
      .join('  '),
  );
}

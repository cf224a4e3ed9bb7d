/** Texts that name indexes of a job, `0,3-5,7`: ascending and below the completions. */

export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** The indexes of a text, or its error, in the words of Kubernetes. */
export function parseIndexes(
  text: string,
  completions: number,
): { readonly count: number } | { readonly problem: string } {
  let count = 0;
  let last = -1;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return { problem: interval };
    if (interval.first <= last)
      return { problem: `non-increasing order, previous: ${last}, current: ${interval.first}` };
    count += interval.last - interval.first + 1;
    last = interval.last;
  }
  return { count };
}

function parseInterval(text: string, completions: number): IndexInterval | string {
  const limits = text.split('-', 3);
  if (limits.length > 2)
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const [first, last] = limits.map((limit) => parseIndex(limit, completions));
  if (typeof first === 'string') return first;
  if (last === undefined) return { first: first!, last: first! };
  if (typeof last === 'string') return last;
  return first! < last ? { first: first!, last } : `non-increasing order, previous: ${first}, current: ${last}`;
}

function parseIndex(text: string, completions: number): number | string {
  if (!/^\+?[0-9]{1,18}$/.test(text)) return `cannot convert string to integer for index: ${JSON.stringify(text)}`;
  const index = Number(text);
  return index < completions ? index : `too large index: ${JSON.stringify(text)}`;
}

/** The first index that both texts name; invalid parts name none. */
export function commonIndex(some: string, others: string, completions: number): number | undefined {
  const [a, b] = [some, others].map((text) =>
    text
      .split(',')
      .map((part) => parseInterval(part, completions))
      .filter((interval) => typeof interval !== 'string'),
  );
  for (let i = 0, j = 0; i < a!.length && j < b!.length;) {
    const [x, y] = [a![i]!, b![j]!];
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
  return undefined;
}

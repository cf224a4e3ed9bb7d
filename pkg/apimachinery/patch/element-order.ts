/**
 * The order of merged lists. Items of the patch come in the patch's order; items that only the server has keep their
 * own order and go between those, before the first item that came after it on the server.
 */

/** An item of a merged list: an object with a merge key, or a scalar (then the merge key is empty). */
export type ListElement = Record<string, unknown> | string | number | bigint | boolean | null;

/** The identity of an item: the value of the merge key, or the scalar itself. Objects as key values are never equal. */
export function identityOf(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  const source = item as Record<string, unknown>;
  return Object.hasOwn(source, mergeKey) ? source[mergeKey] : undefined;
}

/** Splits by whether the other list has the item too. */
export function partitionByPresence(
  items: readonly ListElement[],
  others: readonly ListElement[],
  mergeKey: string,
): { present: ListElement[]; absent: ListElement[] } {
  const known = new Set(others.map((item) => identityOf(item, mergeKey)));
  const present: ListElement[] = [];
  const absent: ListElement[] = [];
  for (const item of items) (known.has(identityOf(item, mergeKey)) ? present : absent).push(item);
  return { present, absent };
}

/** The first index of each item. */
function placesOf(items: readonly ListElement[], mergeKey: string): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [i, item] of items.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, i);
  }
  return places;
}

function sortByPlace(items: ListElement[], places: Map<unknown, number>, mergeKey: string): ListElement[] {
  const place = (item: ListElement): number => places.get(identityOf(item, mergeKey)) ?? places.size;
  return items.toSorted((a, b) => place(a) - place(b));
}

/** Merges the patch's items and the server's own items into one list. */
export function mergeInOrder(
  patchItems: ListElement[],
  serverItems: ListElement[],
  patchOrder: readonly ListElement[],
  serverOrder: readonly ListElement[],
  mergeKey: string,
): ListElement[] {
  const serverPlaces = placesOf(serverOrder, mergeKey);
  const left = sortByPlace(serverItems, serverPlaces, mergeKey);
  const right = sortByPlace(patchItems, placesOf(patchOrder, mergeKey), mergeKey);
  const merged: ListElement[] = [];
  let next = 0;
  for (const item of right) {
    const place = serverPlaces.get(identityOf(item, mergeKey));
    while (place !== undefined && next < left.length) {
      const candidate = left[next] as ListElement;
      const candidatePlace = serverPlaces.get(identityOf(candidate, mergeKey));
      if (candidatePlace === undefined || candidatePlace >= place) break;
      merged.push(candidate);
      next++;
    }
    merged.push(item);
  }
  return merged.concat(left.slice(next));
}

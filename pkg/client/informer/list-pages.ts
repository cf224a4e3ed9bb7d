import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Resource } from '../../api/resource.ts';
import { isExpired } from './expired.ts';
import type { Client, ListOptions, Selection } from '../rest/client.ts';

/** A whole list. */
export interface ListedObjects<T extends ApiObject> {
  readonly resourceVersion: string;
  readonly objects: readonly T[];
}

/**
 * Lists everything, page by page. `resourceVersion` is `0` for any state, empty for the newest one, else the oldest
 * acceptable one, which servers give in one piece. Where a later page has expired the newest state is listed whole.
 */
export async function listPages<T extends ApiObject>(
  client: Client,
  resource: Resource<T>,
  selection: Selection,
  { resourceVersion, pageSize, signal }: { resourceVersion: string; pageSize: number; signal: AbortSignal },
): Promise<ListedObjects<T>> {
  const isPaged = resourceVersion === '' || resourceVersion === '0';
  const first: ListOptions = {
    ...selection,
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(isPaged ? { limit: pageSize } : { resourceVersionMatch: 'NotOlderThan' }),
  };
  let page = await client.list(resource, { ...first, signal });
  if (page.continue === undefined || page.continue === '') {
    return { resourceVersion: page.resourceVersion, objects: page.items };
  }
  const objects = [...page.items];
  while (page.continue !== undefined && page.continue !== '') {
    try {
      page = await client.list(resource, { ...selection, limit: pageSize, continue: page.continue, signal });
    } catch (error) {
      if (!isExpired(error)) throw error;
      const whole = await client.list(resource, { ...selection, signal });
      return { resourceVersion: whole.resourceVersion, objects: whole.items };
    }
    for (const item of page.items) objects.push(item);
  }
  return { resourceVersion: page.resourceVersion, objects };
}

import type { RequestContext } from '../request/request-context.ts';

/** The query of a create or update as the document that admission sees; patches count as updates. */
export function optionsDocument({ method, query }: RequestContext): object {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const [fieldManager, fieldValidation] = [query.get('fieldManager') ?? '', query.get('fieldValidation') ?? ''];
  return {
    kind: method === 'POST' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === '' ? {} : { fieldValidation }),
  };
}

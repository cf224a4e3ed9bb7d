import type { Resource } from '../../api/resource.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { Selection } from '../rest/client.ts';
import { kindRules } from './kind-rules-testing.ts';

export type Matches = (object: ApiObject) => boolean;

/** Which objects of a resource a selection has; throws 400 for what is no selector, and for unknown fields. */
export function selectionOf(resource: Resource, selection: Selection): Matches {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = selection;
  const { fieldLabels } = kindRules(resource);
  const labels = readSelector(() => parseLabelSelector(labelSelector));
  const fields = readSelector(() => parseFieldSelector(fieldSelector));
  for (const { field } of fields.requirements) {
    if (field !== 'metadata.name' && field !== 'metadata.namespace' && fieldLabels[field] === undefined)
      throw badRequest(`field label not supported: ${field}`);
  }
  return (object) => {
    const { metadata } = object;
    const valueOf = (field: string): string => {
      if (field === 'metadata.name') return metadata.name ?? '';
      return field === 'metadata.namespace' ? (metadata.namespace ?? '') : fieldLabels[field]!(object);
    };
    return (
      (namespace === '' || metadata.namespace === namespace) &&
      labels.matches(metadata.labels) &&
      fields.matches(valueOf)
    );
  };
}

function readSelector<S>(read: () => S): S {
  try {
    return read();
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

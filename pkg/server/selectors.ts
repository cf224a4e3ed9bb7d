import { parseFieldSelector, type FieldSelector } from '../apimachinery/field-selector.ts';
import { parseLabelSelector, type LabelSelector } from '../apimachinery/label-selector.ts';
import { badRequest } from '../apimachinery/status-error.ts';
import type { AnyResource } from '../api/resource-definition.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';

/** The label and field selectors of a request, checked for the resource. */
export interface Selection {
  /** Absent when every object matches. */
  readonly matches: ((object: CachedObject) => boolean) | undefined;
  /** Equal selections have equal text. */
  readonly text: string;
  /** The one name that the field selector allows, if it does. */
  readonly name: string | undefined;
}

const all: Selection = { matches: undefined, text: '', name: undefined };

/** Throws 400 for text that is no selector and for fields that the resource does not select by. */
export function parseSelection(definition: AnyResource, labelSelector: string, fieldSelector: string, itemName: string): Selection {
  if (labelSelector === '' && fieldSelector === '' && itemName === '') return all;
  const labels = parseLabels(labelSelector);
  const fields = parseFields(fieldSelector, definition);
  const name = itemName !== '' ? itemName : fields.exactValue('metadata.name');
  const matches = matcher(labels, fields, itemName);
  return { matches, text: `${labels.toString()}\n${fields.toString()}\n${itemName}`, name };
}

function parseLabels(text: string): LabelSelector {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

function parseFields(text: string, definition: AnyResource): FieldSelector {
  let selector: FieldSelector;
  try {
    selector = parseFieldSelector(text);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
  for (const { field } of selector.requirements) checkField(field, definition);
  return selector;
}

function checkField(label: string, definition: AnyResource): void {
  if (label === 'metadata.name' || label === 'metadata.namespace') return;
  const known = definition.fieldLabels;
  if (known !== undefined && Object.hasOwn(known, label)) return;
  if (known === undefined || Object.keys(known).length === 0) {
    throw badRequest(`${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
  }
  throw badRequest(definition.kind === 'Job' ? `field label ${JSON.stringify(label)} not supported for batchv1.Job` : `field label not supported: ${label}`);
}

function matcher(labels: LabelSelector, fields: FieldSelector, itemName: string): ((object: CachedObject) => boolean) | undefined {
  const checks: ((object: CachedObject) => boolean)[] = [];
  if (itemName !== '') checks.push((object) => object.name === itemName);
  if (!labels.empty) checks.push((object) => labels.matches(object.labels()));
  if (!fields.empty) checks.push((object) => fields.matches((label) => object.field(label)));
  if (checks.length === 0) return undefined;
  return checks.length === 1 ? checks[0]! : (object) => checks.every((check) => check(object));
}

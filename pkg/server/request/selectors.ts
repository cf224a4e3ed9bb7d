import { parseFieldSelector, type FieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import { parseLabelSelector, type LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { AnyResource } from '../../api/resource-definition.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ExactRequirement } from '../../storage/cacher/watch-index.ts';
import { SharedSelections } from './shared-selections.ts';

/** The label and field selectors of a request, checked for the resource. */
export interface Selection {
  /** Absent when every object matches. */
  readonly matches: ((object: CachedObject) => boolean) | undefined;
  /** Equal selections have equal text. */
  readonly text: string;
  /** The one name that the field selector allows, if it does. */
  readonly name: string | undefined;
  /** What it demands of fields and labels, as far as it demands one value. */
  readonly exact: readonly ExactRequirement[];
  /** About how many bytes it takes while it is in use. */
  readonly bytes: number;
}

const all: Selection = { matches: undefined, text: '', name: undefined, exact: [], bytes: 0 };
// Process-wide: a compiled selection depends on its texts and its definition alone; their number is bounded.
const shared = new SharedSelections();

/**
 * Of a compiled selector: bytes for each character (values that are looked up in sets), and for each requirement.
 * Measured with selectors of 64 KiB.
 */
const BYTES_PER_CHARACTER = 16;
const BYTES_PER_REQUIREMENT = 512;

/** Throws 400 for text that is no selector and for fields that the resource does not select by. */
export function parseSelection(
  definition: AnyResource,
  labelSelector: string,
  fieldSelector: string,
  itemName: string,
): Selection {
  if (labelSelector === '' && fieldSelector === '' && itemName === '') return all;
  const selection =
    labelSelector === '' && fieldSelector === ''
      ? all
      : shared.get(definition, labelSelector, fieldSelector, () => compile(definition, labelSelector, fieldSelector));
  return itemName === '' ? selection : ofItem(selection, itemName);
}

function compile(definition: AnyResource, labelSelector: string, fieldSelector: string): Selection {
  const labels = parseLabels(labelSelector);
  const fields = parseFields(fieldSelector, definition);
  const bytes =
    BYTES_PER_CHARACTER * (labelSelector.length + fieldSelector.length) +
    BYTES_PER_REQUIREMENT * (labels.requirements.length + fields.requirements.length);
  return {
    matches: matcher(labels, fields),
    text: `${labels.toString()}\n${fields.toString()}`,
    name: fields.exactValue('metadata.name'),
    exact: exactRequirements(labels, fields),
    bytes,
  };
}

/** What a selection leaves of one object, which the path names. */
function ofItem({ matches, text, exact, bytes }: Selection, name: string): Selection {
  return {
    matches: (object) => object.name === name && (matches === undefined || matches(object)),
    text: `${text}\n${name}`,
    name,
    exact: [{ of: 'field', name: 'metadata.name', value: name }, ...exact],
    bytes,
  };
}

/** Fields first: of requirements that single out as much, the first is the one that watches are indexed by. */
function exactRequirements(labels: LabelSelector, fields: FieldSelector): ExactRequirement[] {
  const exact: ExactRequirement[] = [];
  for (const { field, op, value } of fields.requirements)
    if (op === '=') exact.push({ of: 'field', name: field, value });
  for (const { key, operator, values } of labels.requirements)
    if (operator === '=' || operator === '==' || (operator === 'in' && values.length === 1))
      exact.push({ of: 'label', name: key, value: values[0]! });
  return exact;
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
    throw badRequest(
      `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  throw badRequest(
    definition.kind === 'Job'
      ? `field label ${JSON.stringify(label)} not supported for batchv1.Job`
      : `field label not supported: ${label}`,
  );
}

function matcher(labels: LabelSelector, fields: FieldSelector): ((object: CachedObject) => boolean) | undefined {
  const byLabels = (object: CachedObject): boolean => labels.matches(object.labels());
  const byFields = (object: CachedObject): boolean => fields.matches((label) => object.field(label));
  if (fields.empty) return labels.empty ? undefined : byLabels;
  return labels.empty ? byFields : (object) => byLabels(object) && byFields(object);
}

import type { TableColumn, TableDefinition } from '../../api/resource-definition.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { CachedObject, Representation } from '../../storage/cacher/cached-object.ts';
import type { WatchEventType } from '../../storage/cacher/event-ring.ts';
import type { Piece } from '../answers/piece.ts';
import { bookmarkMetadata, utf8, type ListFraming, type ListMeta, type ObjectForm } from './object-form.ts';
import { partialJsonItem } from './partial-metadata.ts';

/** The part of their objects in rows. */
export type IncludeObject = 'Metadata' | 'Object' | 'None';

export function parseIncludeObject(value: string | null): IncludeObject {
  switch (value) {
    case null:
    case '':
    case 'Metadata':
      return 'Metadata';
    case 'Object':
      return 'Object';
    case 'None':
      return 'None';
    default:
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
      );
  }
}

const comma = utf8(',');
const listTail = utf8(']}\n');
/** A text that stands in JSON as it is. */
const PLAIN = /^[\w./:,() +-]*$/;
/** `<none>` as Go's encoder writes it. */
const NONE = '"\\u003cnone\\u003e"';
// Process-wide: numbers that tell forms apart, and mean nothing else.
let watchers = 0;

/**
 * Server-side printed rows. Cells have ages, so rows are made for each answer from decoded objects and cached metadata
 * bytes. In a watch only the first event has the column definitions; therefore each watch has a separate form, and so a
 * separate group.
 */
export class TableForm implements ObjectForm {
  readonly contentType = 'application/json';
  readonly watchContentType = 'application/json';
  readonly item: Representation;
  private readonly version: 'v1' | 'v1beta1';
  private readonly table: TableDefinition<ApiObject>;
  private readonly objectItem: Representation | undefined;
  private columnsSent = false;

  /** `fullItem`: the whole object as JSON without type, when rows are to include it; `typeMeta` is put before it. */
  constructor(
    version: 'v1' | 'v1beta1',
    table: TableDefinition<ApiObject> | undefined,
    include: IncludeObject,
    fullItem: Representation,
    hidden: readonly string[],
  ) {
    this.version = version;
    this.table = table ?? defaultTable;
    this.objectItem =
      include === 'None' ? undefined : include === 'Object' ? fullItem : partialJsonItem(version, hidden);
    this.item = { key: `table;${++watchers}`, cacheable: false, encode: (object) => utf8(this.rowText(object)) };
  }

  private rowText(object: CachedObject): string {
    const included = this.objectItem === undefined ? 'null' : Buffer.from(object.bytes(this.objectItem)).toString();
    return `${this.rowOpening(object)}${included}}`;
  }

  /** A row up to the object that it includes. */
  private rowOpening(object: CachedObject): string {
    const row = this.table.row(object.object(), Date.now());
    const conditions =
      row.conditions === undefined || row.conditions.length === 0
        ? ''
        : `,"conditions":${stringifyEscaped(row.conditions)}`;
    return `{"cells":${cellsJson(row.cells)}${conditions},"object":`;
  }

  pieces(object: CachedObject): readonly Piece[] {
    return [this.rowOpening(object), this.objectItem === undefined ? 'null' : object.bytes(this.objectItem), '}'];
  }

  private opening(meta: ListMeta, withColumns: boolean): string {
    const columns = withColumns ? stringifyEscaped(this.table.columns.map(columnDefinition)) : 'null';
    return `{"kind":"Table","apiVersion":"meta.k8s.io/${this.version}","metadata":${JSON.stringify(meta)},"columnDefinitions":${columns},"rows":[`;
  }

  single(object: CachedObject): Uint8Array[] {
    const meta = { resourceVersion: object.object().metadata.resourceVersion ?? '' };
    return [utf8(`${this.opening(meta, true)}${this.rowText(object)}]}\n`)];
  }

  list(meta: ListMeta): ListFraming {
    const head = utf8(this.opening(meta, true));
    return { head: () => head, separator: comma, tail: listTail };
  }

  frame(type: WatchEventType, object: CachedObject): Uint8Array {
    const meta = { resourceVersion: String(object.revision) };
    const text = `{"type":"${type}","object":${this.opening(meta, !this.columnsSent)}${this.rowText(object)}]}}\n`;
    this.columnsSent = true;
    return utf8(text);
  }

  bookmark(revision: number, endOfInitialEvents: boolean): Uint8Array {
    const meta = { resourceVersion: String(revision) };
    const object = {
      kind: 'PartialObjectMetadata',
      apiVersion: `meta.k8s.io/${this.version}`,
      metadata: bookmarkMetadata(revision, endOfInitialEvents),
    };
    const text = `{"type":"BOOKMARK","object":${this.opening(meta, !this.columnsSent)}{"cells":[],"object":${JSON.stringify(object)}}]}}\n`;
    this.columnsSent = true;
    return utf8(text);
  }

  errorFrame(status: object): Uint8Array {
    return utf8(`${stringifyEscaped({ type: 'ERROR', object: status })}\n`);
  }
}

function columnDefinition(column: TableColumn): object {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description,
    priority: column.priority ?? 0,
  };
}

/** The table of kinds that define none: name and creation time. */
const defaultTable: TableDefinition<ApiObject> = {
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name of the object, unique among its kind and namespace.',
    },
    { name: 'Created At', type: 'date', description: 'Time at which the server stored the object first, in UTC.' },
  ],
  row: (object) => ({ cells: [object.metadata.name ?? '', object.metadata.creationTimestamp ?? null] }),
};

/** Cells of a row as Go's encoder writes them: nearly all are `<none>` or plain, for which no encoder is asked. */
function cellsJson(cells: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) text += ',';
    text += cellJson(cells[i]);
  }
  return `${text}]`;
}

function cellJson(cell: unknown): string {
  if (cell === '<none>') return NONE;
  return typeof cell === 'string' && PLAIN.test(cell) ? `"${cell}"` : stringifyEscaped(cell);
}

/** The read part of a document: operations by path and method, beside other members of a path. */
export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
}

/**
 * The same with the descriptions of operations as their summaries: these are shown for every operation, and there are
 * no others.
 */
export function withSummaries<T extends OpenApiDocument>(document: T): T {
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([key, value]) => [key, isOperation(value) ? summarized(value) : value]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

function summarized(operation: Operation): Operation {
  const { description, ...rest } = operation;
  return operation.summary === undefined && description !== undefined ? { ...rest, summary: description } : operation;
}

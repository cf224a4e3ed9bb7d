/**
 * The parsed method and path of a request: authorization, audit and routing all decide by this one parsing, so that
 * what is checked is what is executed.
 */
export interface RequestInfo {
  /** False for discovery, health and other paths outside of resources. */
  readonly isResource: boolean;
  /**
   * `create`, `get`, `list`, `watch`, `update`, `patch`, `delete`, `deletecollection`, or empty for other methods;
   * `proxy` for paths of the withdrawn form `/proxy/...`; the lower-case method outside of resources.
   */
  readonly verb: string;
  /** `api` or `apis` for resources. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path without query, as sent. */
  readonly path: string;
  /** Path segments after the subresource, for proxies: they alone may be empty. */
  readonly tail: readonly string[];
  /** The path is malformed: empty or undecodable segments. */
  readonly malformed: boolean;
  /** The path is of the deprecated form `/watch/...`. */
  readonly deprecatedWatch: boolean;
}

/** Methods are case-sensitive; unknown ones have no verb. */
const methodVerbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Subresources of a namespace, whose path would otherwise read as resources inside it. */
const namespaceSubresources = new Set(['status', 'finalize']);

/** `watchRequested`: the query asks for a watch. */
export function parseRequestInfo(method: string, path: string, watchRequested: boolean): RequestInfo {
  const plain: RequestInfo = {
    isResource: false,
    verb: method.toLowerCase(),
    apiPrefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    path,
    tail: [],
    malformed: false,
    deprecatedWatch: false,
  };
  const segments = splitPath(path);
  if (segments === undefined || (segments.includes('') && !emptyBehindProxy(segments)))
    return { ...plain, malformed: true };
  const prefix = segments[0] ?? '';
  if (prefix !== 'api' && prefix !== 'apis') return plain;
  const groupSegments = prefix === 'apis' ? 1 : 0;
  const version = segments[1 + groupSegments];
  const rest = segments.slice(2 + groupSegments);
  const group = groupSegments === 1 ? (segments[1] ?? '') : '';
  if (version === undefined || rest.length === 0) return { ...plain, apiPrefix: prefix, group, version: version ?? '' };
  if (rest[0] === 'proxy' && rest.length > 1) {
    return {
      ...plain,
      ...parseResource(rest.slice(1)),
      subresource: '',
      tail: [],
      isResource: true,
      verb: 'proxy',
      apiPrefix: prefix,
      group,
      version,
    };
  }
  const deprecatedWatch = rest[0] === 'watch' && rest.length > 1;
  const parts = parseResource(deprecatedWatch ? rest.slice(1) : rest);
  const verb = resourceVerb(method, parts.name, deprecatedWatch || (watchRequested && parts.name === ''));
  return { ...plain, ...parts, isResource: true, verb, apiPrefix: prefix, group, version, deprecatedWatch };
}

function parseResource(
  rest: readonly string[],
): Pick<RequestInfo, 'namespace' | 'resource' | 'name' | 'subresource' | 'tail'> {
  if (rest[0] === 'namespaces' && rest.length > 2 && !namespaceSubresources.has(rest[2]!)) {
    return {
      namespace: rest[1]!,
      resource: rest[2]!,
      name: rest[3] ?? '',
      subresource: rest[4] ?? '',
      tail: rest.slice(5),
    };
  }
  return { namespace: '', resource: rest[0]!, name: rest[1] ?? '', subresource: rest[2] ?? '', tail: rest.slice(3) };
}

function resourceVerb(method: string, name: string, watch: boolean): string {
  const verb = methodVerbs.get(method) ?? '';
  if (verb === 'get' && watch) return 'watch';
  if (name !== '') return verb;
  if (verb === 'get') return 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** Whether a proxy passes empty segments of a path on. */
function emptyBehindProxy(segments: readonly string[]): boolean {
  const isGrouped = segments[0] === 'apis';
  const { subresource, tail } = parseResource(segments.slice(isGrouped ? 3 : 2));
  return (
    (isGrouped || segments[0] === 'api') &&
    subresource === 'proxy' &&
    !segments.slice(0, segments.length - tail.length).includes('')
  );
}

/** Decoded segments; undefined where one is undecodable. One trailing slash is allowed. */
function splitPath(path: string): string[] | undefined {
  const trimmed = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  if (trimmed === '') return path.length > 1 ? undefined : [];
  const segments: string[] = [];
  for (const raw of trimmed.split('/')) {
    const segment = decodeSegment(raw);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments;
}

function decodeSegment(raw: string): string | undefined {
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    // Not valid percent-encoding: no path of the API, and the caller answers it as such.
    return undefined;
  }
}

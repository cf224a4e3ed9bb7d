/** The answer of `/openapi/v3`. */
export interface DocumentIndex {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** A document of OpenAPI that can be shown. */
export interface ListedDocument {
  /** `apis/apps/v1`. */
  readonly name: string;
  /** Begins with a slash; without the query that names a version of the document. */
  readonly url: string;
}

export interface DocumentList {
  readonly groupVersions: readonly ListedDocument[];
  /** Discovery, version and other paths without a group version. */
  readonly others: readonly ListedDocument[];
}

const GROUP_VERSION = /^(api|apis\/[^/]+)\/v[^/]+$/;
const FIRST = 'api/v1';

/** Group versions separate from the rest, in the order of the index. */
export function listDocuments({ paths }: DocumentIndex): DocumentList {
  const all = Object.entries(paths).map(([name, { serverRelativeURL }]) => ({
    name,
    url: serverRelativeURL.replace(/\?.*/, ''),
  }));
  return {
    groupVersions: all.filter(({ name }) => GROUP_VERSION.test(name)),
    others: all.filter(({ name }) => !GROUP_VERSION.test(name)),
  };
}

/** The document of that name; where there is none, the core group's, or any. */
export function chooseDocument(
  { groupVersions, others }: DocumentList,
  name: string | null,
): ListedDocument | undefined {
  const all = [...groupVersions, ...others];
  return all.find((document) => document.name === name) ?? all.find((document) => document.name === FIRST) ?? all[0];
}

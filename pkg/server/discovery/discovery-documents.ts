import { notAcceptable } from '../../apimachinery/errors/status-error.ts';
import { accepts, type MediaRange, parseAccept } from '../documents/accept-header.ts';
import { answerBytes, contentHash, type DocumentAnswer, type DocumentRequest } from '../documents/document-answer.ts';
import { type DocumentFormat, encodeDocument, mediaTypes } from '../documents/document-encoding.ts';
import type { ServedResource } from '../documents/served-resources.ts';
import { apiGroupDiscoveryList } from './aggregated.ts';
import { compareGroups } from './group-order.ts';
import { apiGroup, apiGroupList, apiVersions, groupsOf, type ServedGroup } from './groups.ts';
import { apiResourceList } from './resource-list.ts';

export interface DiscoveryOptions {
  readonly resources: readonly ServedResource[];
  /** Where clients reach the server; read at the first request, since it may not be known at the start. */
  readonly serverAddress: { readonly hostPort: string };
}

/** A document to be encoded. */
interface Plan {
  /** `meta/v1.APIGroup`. */
  readonly message: string;
  document(): object;
  /** Appended to the media type. */
  readonly parameters: string;
  /** Clients revalidate by the tag that they have. */
  readonly tagged: boolean;
}

const formats: readonly DocumentFormat[] = ['json', 'yaml', 'protobuf'];

/**
 * Answers `/api`, `/apis` and the paths below down to a group's versions. Encoded documents are kept: there are few,
 * and small.
 */
export class DiscoveryDocuments {
  private readonly serverAddress: { readonly hostPort: string };
  private groups: readonly ServedGroup[];
  private readonly encoded = new Map<string, { body: Uint8Array; etag?: string }>();

  constructor(options: DiscoveryOptions) {
    this.serverAddress = options.serverAddress;
    this.groups = groupsOf(options.resources);
  }

  /** Replaces the served resources; only these groups have changed. */
  update(resources: readonly ServedResource[], changed: ReadonlySet<string>): void {
    const made = groupsOf(resources.filter(({ group }) => changed.has(group)));
    this.groups = [...this.groups.filter(({ name }) => !changed.has(name)), ...made].sort(compareGroups);
    for (const key of this.encoded.keys())
      if (isAbout(key.slice(0, key.indexOf(' ')), changed)) this.encoded.delete(key);
  }

  /**
   * Undefined for paths without a document. Throws a StatusError, 406, when `accept` takes none of the representations.
   */
  answer(request: DocumentRequest): DocumentAnswer | undefined {
    const path = request.path.length > 1 && request.path.endsWith('/') ? request.path.slice(0, -1) : request.path;
    const plain = this.plain(path);
    if (plain === undefined) return undefined;
    const { format, plan } = this.negotiate(path, plain, request.accept);
    const key = [path, format, plan.parameters, request.pretty === true].join(' ');
    let encoded = this.encoded.get(key);
    if (encoded === undefined) {
      const body = encodeDocument(plan.document(), plan.message, format, request.pretty);
      encoded = { body, ...(plan.tagged ? { etag: `"${contentHash(body)}"` } : {}) };
      this.encoded.set(key, encoded);
    }
    return answerBytes(encoded.body, `${mediaTypes[format]}${plan.parameters}`, {
      ...(encoded.etag === undefined ? {} : { etag: encoded.etag }),
      ...(request.ifNoneMatch === undefined ? {} : { ifNoneMatch: request.ifNoneMatch }),
      headers: { 'cache-control': plan.tagged ? 'public' : 'no-cache, private', vary: 'Accept' },
    });
  }

  /** The document of the path in the form that every client reads. */
  private plain(path: string): Plan | undefined {
    const plan = (message: string, document: () => object): Plan => ({
      message,
      document,
      parameters: '',
      tagged: false,
    });
    if (path === '/api')
      return plan('meta/v1.APIVersions', () => apiVersions(this.group(''), this.serverAddress.hostPort));
    if (path === '/apis') return plan('meta/v1.APIGroupList', () => apiGroupList(this.groups));
    const [empty, root, first = '', second, ...rest] = path.split('/');
    if (empty !== '' || rest.length > 0 || (root !== 'api' && root !== 'apis')) return undefined;
    const group = this.group(root === 'api' ? '' : first);
    if (group === undefined || (root === 'apis' && first === '') || (root === 'api' && second !== undefined))
      return undefined;
    const versionName = root === 'api' ? first : second;
    if (versionName === undefined) return plan('meta/v1.APIGroup', () => apiGroup(group));
    const version = group.versions.find((v) => v.version === versionName);
    return version === undefined
      ? undefined
      : plan('meta/v1.APIResourceList', () => apiResourceList(group.name, version));
  }

  private group(name: string): ServedGroup | undefined {
    return this.groups.find((g) => g.name === name);
  }

  private negotiate(path: string, plain: Plan, accept: string | undefined): { format: DocumentFormat; plan: Plan } {
    for (const range of parseAccept(accept)) {
      const format = formats.find((f) => accepts(range, mediaTypes[f]));
      if (format === undefined) continue;
      if (!range.params.has('as')) return { format, plan: plain };
      const aggregated = this.aggregated(path, range);
      if (aggregated !== undefined) return { format, plan: aggregated };
    }
    throw notAcceptable(`only the following media types are accepted: ${formats.map((f) => mediaTypes[f]).join(', ')}`);
  }

  private aggregated(path: string, range: MediaRange): Plan | undefined {
    const version = range.params.get('v');
    if (range.params.get('as') !== 'APIGroupDiscoveryList' || range.params.get('g') !== 'apidiscovery.k8s.io')
      return undefined;
    if ((path !== '/api' && path !== '/apis') || (version !== 'v2' && version !== 'v2beta1')) return undefined;
    const groups = this.groups.filter((g) => (g.name === '') === (path === '/api'));
    return {
      message: `apidiscovery/${version}.APIGroupDiscoveryList`,
      document: () => apiGroupDiscoveryList(groups, version),
      parameters: `;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      tagged: true,
    };
  }
}

/** The document at the path contains one of the groups. */
function isAbout(path: string, groups: ReadonlySet<string>): boolean {
  const [, root, group] = path.split('/');
  if (root === 'api') return groups.has('');
  return group === undefined || groups.has(group);
}

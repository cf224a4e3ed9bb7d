import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import {
  OPENID_CONFIGURATION_PATH,
  OPENID_KEYS_PATH,
  type OpenIdDocument,
} from '../../authentication/service-account/openid-documents.ts';
import type { DiscoveryDocuments } from '../discovery/discovery-documents.ts';
import type { DocumentAnswer, DocumentRequest } from '../documents/document-answer.ts';
import type { ServedCatalog } from '../documents/served-catalog.ts';
import type { HealthChecks } from './health.ts';
import type { OpenApiDocuments } from '../openapi/openapi-documents.ts';
import { wantsPretty } from '../answers/negotiate-answer.ts';
import type { OperatorPages, ServedPaths } from './operator-pages.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondBytes, respondParts, respondText } from '../answers/respond.ts';
import { versionDocument } from './version.ts';

export interface MetricsTexts {
  text(): Promise<{ contentType: string; body: string }>;
  healthText(): Promise<{ contentType: string; body: string }>;
}

export interface SystemPathsOptions {
  readonly discovery: DiscoveryDocuments;
  readonly openApi: OpenApiDocuments;
  readonly health: HealthChecks;
  /** Prometheus text exposition: everything, and the results of health checks alone. */
  readonly metrics: MetricsTexts;
  readonly catalog: Pick<ServedCatalog, 'groups' | 'groupVersions'>;
  /** Documents by which others verify tokens of service accounts; absent where there are none. */
  readonly openIdDocument: ((path: string) => OpenIdDocument | undefined) | undefined;
  /** Which release the server says it is, as a minor of its own major. */
  readonly emulatedMinor: number;
  /** Pages for operators; profiles and log files where they are served. */
  readonly pages: readonly OperatorPages[];
}

/** Any method lists the groups, as in stock servers. */
const ANY_METHOD = /^\/apis(\/[^/]*)?\/?$/;

/** Everything outside of resources: discovery, OpenAPI, health, version, metrics, and pages for operators. */
export class SystemPaths implements ServedPaths {
  private readonly options: SystemPathsOptions;

  constructor(options: SystemPathsOptions) {
    this.options = options;
  }

  async answer(context: RequestContext): Promise<void> {
    const { path } = context.info;
    if (context.info.malformed) return this.notFound(context);
    for (const pages of this.options.pages) {
      const answered = pages.answer(context, this);
      if (answered !== undefined) return answered;
    }
    const document = await this.document(context, path);
    if (document !== undefined) return writeDocument(context, document);
    if (path === '/version' || path === '/version/') {
      if (context.method !== 'GET') throw genericServerResponse(405);
      respondBytes(
        context,
        200,
        'application/json',
        Buffer.from(`${JSON.stringify(versionDocument(this.options.emulatedMinor), null, 2)}\n`),
      );
      return;
    }
    if (path === '/metrics' || path === '/metrics/slis') {
      // A stock server sets its counters to zero: the caller should know that it did not happen.
      if (context.method === 'DELETE') throw genericServerResponse(405);
      const { contentType, body } = await (path === '/metrics'
        ? this.options.metrics.text()
        : this.options.metrics.healthText());
      return respondCompressed(context, contentType, Buffer.from(body));
    }
    const openId = this.options.openIdDocument?.(path);
    if (openId !== undefined) {
      if (context.method !== 'GET') throw genericServerResponse(405);
      respondBytes(context, 200, openId.contentType, Buffer.from(openId.body), {
        'cache-control': openId.cacheControl,
      });
      return;
    }
    const health = await this.options.health.answer(path, context.query);
    if (health !== undefined) {
      respondText(context, health.status, health.text);
      return;
    }
    if (path === '/') return writeDocument(context, this.rootPage());
    this.notFound(context);
  }

  private async document(context: RequestContext, path: string): Promise<DocumentAnswer | undefined> {
    const { headers, method } = context;
    const request: DocumentRequest = {
      path,
      ...(headers.accept === undefined ? {} : { accept: headers.accept }),
      ...(headers['accept-encoding'] === undefined ? {} : { acceptEncoding: String(headers['accept-encoding']) }),
      ...(headers['if-none-match'] === undefined ? {} : { ifNoneMatch: headers['if-none-match'] }),
      ...(context.hasQuery && context.query.has('hash') ? { hash: context.query.get('hash')! } : {}),
      ...(wantsPretty(context) ? { pretty: true } : {}),
    };
    if (path.startsWith('/openapi/'))
      return method === 'GET' || method === 'HEAD' ? this.options.openApi.answer(request) : undefined;
    const document = await this.options.discovery.answer(request);
    if (document !== undefined && method !== 'GET' && !ANY_METHOD.test(path)) throw genericServerResponse(405);
    return document;
  }

  /**
   * A path of a known group without such a version is a Status; anything else is plain text, as clients tell the two
   * apart.
   */
  private notFound(context: RequestContext): void {
    const { info } = context;
    const known = info.apiPrefix !== '' || /^\/apis?\//.test(info.path);
    const group = info.apiPrefix === 'apis' ? info.group : '';
    if (known && (info.path.startsWith('/api/') || this.options.catalog.groups.has(group)))
      throw genericServerResponse(404);
    respondText(context, 404, '404 page not found\n');
  }

  /** What `/` lists. */
  get paths(): readonly string[] {
    const { openIdDocument, pages, health, catalog } = this.options;
    return [
      ...(openIdDocument === undefined ? [] : [OPENID_CONFIGURATION_PATH, OPENID_KEYS_PATH]),
      '/api',
      '/apis',
      '/apis/',
      ...[...catalog.groups].filter((group) => group !== '').map((group) => `/apis/${group}`),
      ...[...catalog.groupVersions].map((version) => (version.includes('/') ? `/apis/${version}` : `/api/${version}`)),
      ...health.paths,
      ...pages.flatMap(({ listed }) => listed),
      '/metrics',
      '/metrics/slis',
      '/openapi/v2',
      '/openapi/v3',
      '/openapi/v3/',
      '/version',
    ].sort();
  }

  private rootPage(): DocumentAnswer {
    const body = Buffer.from(JSON.stringify({ paths: this.paths }, null, 2));
    return { status: 200, contentType: 'application/json', body, headers: { 'content-type': 'application/json' } };
  }
}

/** Scrapers take pages of megabytes several times a minute, all of them compressed. */
function respondCompressed(context: RequestContext, contentType: string, body: Buffer): Promise<void> | void {
  if (context.method === 'HEAD') return respondBytes(context, 200, contentType, body);
  return respondParts(context, 200, contentType, [body], body.length, true);
}

function writeDocument(context: RequestContext, answer: DocumentAnswer): void {
  const { 'content-type': contentType = answer.contentType, ...extra } = answer.headers;
  respondBytes(context, answer.status, contentType, answer.body, extra);
}

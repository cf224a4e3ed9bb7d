import { posix } from 'node:path';
import type { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import { WebhookClient, type HostPort } from '../../webhooks/webhook-client.ts';
import { WebhookError } from '../../webhooks/webhook-error.ts';
import type { WebhookClientConfig } from '../../generated/types/admissionregistration-v1.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { caBundleText } from './ca-bundle.ts';
import { serviceAddress, type ServicePort } from './service-address.ts';
import { credentialsFor, type WebhookCredentials } from './webhook-credentials.ts';
import type { Webhook } from './webhook.ts';

/** A route to a webhook, with the address that errors name. */
export interface WebhookRoute {
  readonly client: WebhookClient;
  readonly url: string;
}

/** Longest time that a webhook may take: calls of a dropped route end by then. */
const CALL_TIME_MAX_MS = 31_000;
const SERVICE_PORT = 443;

/**
 * The connections to webhooks, shared by those of equal settings and kept between calls. Each route has a bounded
 * number of connections: calls of a slow webhook wait for one another, within their time, and delay no others.
 */
export class WebhookClients {
  private readonly routes = new Map<string, WebhookRoute>();
  private readonly lookup: ObjectLookup;
  private readonly credentials: WebhookCredentials;
  private readonly toEndpoints: boolean;
  private readonly certificates: DeprecatedCertificates;

  constructor(
    lookup: ObjectLookup,
    credentials: WebhookCredentials,
    toEndpoints: boolean,
    certificates: DeprecatedCertificates,
  ) {
    this.lookup = lookup;
    this.credentials = credentials;
    this.toEndpoints = toEndpoints;
    this.certificates = certificates;
  }

  /** Throws Error where the configuration leads nowhere. */
  routeTo({ clientConfig }: Webhook): WebhookRoute {
    const key = keyOf(clientConfig);
    let route = this.routes.get(key);
    if (route === undefined) this.routes.set(key, (route = this.open(clientConfig)));
    return route;
  }

  /** Drops the routes to all other webhooks, when their calls have ended. */
  keepOnly(webhooks: readonly Webhook[]): void {
    const wanted = new Set(webhooks.map(({ clientConfig }) => keyOf(clientConfig)));
    for (const [key, { client }] of this.routes) {
      if (wanted.has(key)) continue;
      this.routes.delete(key);
      setTimeout(() => client.close(), CALL_TIME_MAX_MS).unref();
    }
  }

  private async addressOf(service: ServicePort): Promise<HostPort> {
    try {
      return await serviceAddress(service, this.toEndpoints, this.lookup);
    } catch (error) {
      throw new WebhookError(service.name, (error as Error).message);
    }
  }

  private open({ service, url, caBundle = '' }: WebhookClientConfig): WebhookRoute {
    const ca = caBundle === '' ? {} : { ca: caBundleText(caBundle) };
    if (service === undefined) {
      if (url === undefined || url === '') throw new Error('webhook configuration must have either service or URL');
      const server = new URL(url);
      server.pathname = cleanPath(server.pathname);
      const port = Number(server.port || SERVICE_PORT);
      const [, authority = server.host] = /^https:\/\/([^/]*)/i.exec(url) ?? [];
      return {
        url: `https://${authority}${server.pathname}`,
        client: new WebhookClient({
          config: { server, ...ca, credentials: credentialsFor(this.credentials, server.hostname, port) },
          certificates: this.certificates,
          timeoutMs: CALL_TIME_MAX_MS,
        }),
      };
    }
    const { namespace, name, port = SERVICE_PORT, path = '' } = service;
    const host = `${name}.${namespace}.svc`;
    const address = `https://${host}:${port}${cleanPath(path)}`;
    return {
      url: address,
      client: new WebhookClient({
        config: { server: new URL(address), ...ca, credentials: credentialsFor(this.credentials, host, port) },
        certificates: this.certificates,
        timeoutMs: CALL_TIME_MAX_MS,
        address: () => this.addressOf({ namespace, name, port }),
      }),
    };
  }
}

/** A path as stock servers request it: from the root, and without a slash at its end. */
function cleanPath(path: string): string {
  const clean = posix.normalize(`/${path}`);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

function keyOf(config: WebhookClientConfig): string {
  return JSON.stringify(config);
}

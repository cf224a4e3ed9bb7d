import { checkLeads, leadingClient, type Leadership } from '../../client/leader-election/leading-client.ts';
import type { ClusterConfig } from '../../client/cluster-config.ts';
import type { ClientCredentials } from '../../client/client-credentials.ts';
import type { Client } from '../../client/rest/client.ts';
import type { RequestObserver } from '../../client/rest/request-observer.ts';
import { RestClient, type RestClientOptions } from '../../client/rest/rest-client.ts';
import { logWarningsOnce, type WarningHandler } from '../../client/rest/warnings.ts';
import type { Connection } from './connection.ts';

export interface ProgramClientsOptions {
  readonly connection: Connection;
  readonly observer: RequestObserver;
  /** Gets what the server warns of, such as deprecated versions, each text once. */
  readonly onWarning: WarningHandler;
}

/** The clients of one program. Each has connections and a rate of its own, so that none waits for another one. */
export class ProgramClients {
  private readonly options: ProgramClientsOptions;
  private readonly opened: RestClient[] = [];
  private readonly onWarning: WarningHandler;

  constructor(options: ProgramClientsOptions) {
    this.options = options;
    this.onWarning = logWarningsOnce(options.onWarning);
  }

  /** One for `purpose`, as the program itself. */
  open(purpose: string, more: RestClientOptions = {}): Client {
    return this.openWith(this.options.connection.config, purpose, more);
  }

  /** One for a cluster-config of its own. */
  openWith(config: ClusterConfig, purpose: string, more: RestClientOptions = {}): Client {
    const { connection, observer } = this.options;
    const { onWarning } = this;
    const client = new RestClient(config, {
      ...connection.client,
      observer,
      onWarning,
      userAgent: `binnacle/${purpose}`,
      ...(config.server.protocol === 'https:' ? {} : { protocol: 'http/1.1' }),
      ...more,
    });
    this.opened.push(client);
    return client;
  }

  /**
   * One that writes only while its program leads: what waits for its turn, for a token or for a connection when
   * leadership ends is not sent. `credentials`: those of an account of its own.
   */
  openLeading(purpose: string, leadership: Leadership, credentials?: ClientCredentials): Client {
    const { config } = this.options.connection;
    const client = this.openWith(credentials === undefined ? config : { ...config, credentials }, purpose, {
      beforeWrite: () => checkLeads(leadership),
    });
    return leadingClient(client, leadership);
  }

  close(): void {
    for (const client of this.opened.splice(0)) client.close();
  }
}

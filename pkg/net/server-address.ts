export interface ServerAddressParts {
  /** `--external-hostname`, which may have a port of its own; empty: the advertised address. */
  readonly externalHostname: string;
  /** IP address under which others reach the server. */
  readonly advertised: string;
  /** `--secure-port`. */
  readonly port: number;
}

/**
 * Where others reach a server. The listener sets the port once, when it listens: with `--secure-port=0` it is not known
 * before. Everything else reads.
 */
export class ServerAddress {
  private readonly parts: ServerAddressParts;
  private listeningPort: number | undefined;

  constructor(parts: ServerAddressParts) {
    this.parts = parts;
  }

  /** IP address under which members of the cluster reach the server. */
  get advertised(): string {
    return this.parts.advertised;
  }

  get port(): number {
    return this.listeningPort ?? this.parts.port;
  }

  /** Called once, by the listener. */
  listensOn(port: number): void {
    if (this.listeningPort !== undefined) throw new Error('the server listens already');
    this.listeningPort = port;
  }

  /** `host:port` for clients outside of the cluster. */
  get hostPort(): string {
    const { externalHostname, advertised } = this.parts;
    if (externalHostname === '') return authority(advertised, this.port);
    return /^[^:]+:\d+$|\]:\d+$/.test(externalHostname)
      ? externalHostname
      : authority(externalHostname.replace(/^\[(.*)\]$/, '$1'), this.port);
  }
}

/** `host:port`, an IPv6 address in brackets. */
export function authority(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

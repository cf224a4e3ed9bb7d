/** The target of forwarded requests: the agent of a node, or a port of a pod. */
export interface Backend {
  readonly scheme: 'http' | 'https';
  /** Name or IP address. */
  readonly host: string;
  readonly port: number;
  /** True where only the control plane names it; else addresses of this machine and its link are refused. */
  readonly isTrusted: boolean;
  /** Absent: the backend's certificate is not verified, and none is sent. */
  readonly tls?: BackendTls;
  /** How long it may take to connect. */
  readonly dialTimeoutMs: number;
}

/** PEM. */
export interface BackendTls {
  /** Authorities of which one must have signed the backend's certificate; absent: it is not verified. */
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** `name:port`, with brackets around an IPv6 address. */
export function hostPort({ host, port }: Pick<Backend, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

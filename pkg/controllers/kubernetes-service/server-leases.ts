/** Which servers of the cluster are alive: by keys of the store that no API shows, as stock servers have it. */
export interface ServerLeases {
  /** The server at this address is alive for the time of a lease. */
  renew(ip: string): Promise<void>;
  remove(ip: string): Promise<void>;
  /** Addresses of the servers that are alive. */
  addresses(): Promise<readonly string[]>;
}

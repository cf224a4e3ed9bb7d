/**
 * The credential of the page's user. Only the page holds it; it is never stored, and sent only to the page's own
 * server.
 */
export class BearerToken {
  private readonly origin: string;
  private token = '';

  /** `origin`: of the page, as `https://127.0.0.1:6443`. */
  constructor(origin: string) {
    this.origin = origin;
  }

  /** Empty text drops it. */
  set(text: string): void {
    this.token = text.trim().replace(/^Bearer\s+/i, '');
  }

  /**
   * The header for a request to `url`, which is absolute or begins with a slash; empty where the URL is of another
   * server.
   */
  headersFor(url: string): Readonly<Record<string, string>> {
    const own = URL.canParse(url, this.origin) && new URL(url, this.origin).origin === this.origin;
    return own && this.token !== '' ? { Authorization: `Bearer ${this.token}` } : {};
  }
}

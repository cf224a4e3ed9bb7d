/**
 * The credential of whoever looks at the page. It is held by the page alone, never stored, and told to the page's own
 * server only.
 */
export class BearerToken {
  private readonly origin: string;
  private token = '';

  /** `origin`: of the page, as `https://127.0.0.1:6443`. */
  constructor(origin: string) {
    this.origin = origin;
  }

  /** Empty text forgets it. */
  set(text: string): void {
    this.token = text.trim().replace(/^Bearer\s+/i, '');
  }

  /**
   * The header for a request to `url`, which is absolute or begins with a slash; empty where the token is none of its
   * business.
   */
  headersFor(url: string): Readonly<Record<string, string>> {
    const own = URL.canParse(url, this.origin) && new URL(url, this.origin).origin === this.origin;
    return own && this.token !== '' ? { Authorization: `Bearer ${this.token}` } : {};
  }
}

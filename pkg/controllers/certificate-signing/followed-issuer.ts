import { type AuthorityPair, type Issuer, openIssuer } from '../../api/certificates/issuer.ts';
import type { AuthoritySource } from '../controllers-config.ts';

/** An authority whose certificate and key may change while the controller runs. */
export class FollowedIssuer {
  private readonly source: AuthoritySource;
  private readonly onError: (error: unknown) => void;
  private seen: AuthorityPair;
  private issuer: Issuer;

  /** Throws where the source has no pair that can sign. `onError` gets what a later one fails with. */
  constructor(source: AuthoritySource, onError: (error: unknown) => void) {
    this.source = source;
    this.onError = onError;
    this.seen = source();
    this.issuer = openIssuer(this.seen);
  }

  /** Of what the source has now; where that cannot sign, as between the writes of two files, of what it had before. */
  current(): Issuer {
    try {
      const found = this.source();
      if (found.certificate === this.seen.certificate && found.privateKey === this.seen.privateKey) return this.issuer;
      this.seen = found;
      this.issuer = openIssuer(found);
    } catch (error) {
      this.onError(error);
    }
    return this.issuer;
  }
}

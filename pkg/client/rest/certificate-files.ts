import { isKeyPair } from '../client-credentials.ts';
import { RotatingFile } from './rotating-file.ts';

/** PEM texts that belong together. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** A client certificate and its key in files that are replaced before the certificate ends. */
export class CertificateFiles {
  private readonly certificate: RotatingFile;
  private readonly key: RotatingFile;
  private pair: CertificatePair;

  /** `pair` is what the files held at the start. */
  constructor(certificateFile: string, keyFile: string, pair: CertificatePair, nowMs?: () => number) {
    this.certificate = new RotatingFile(certificateFile, pair.certificate, nowMs);
    this.key = new RotatingFile(keyFile, pair.key, nowMs);
    this.pair = pair;
  }

  /** The same object as long as the files hold the same. */
  async current(): Promise<CertificatePair> {
    const [certificate, key] = await Promise.all([this.certificate.current(), this.key.current()]);
    if (certificate === this.pair.certificate && key === this.pair.key) return this.pair;
    // One of the two files has been replaced, the other not yet.
    if (isKeyPair(certificate, key)) this.pair = { certificate, key };
    else this.expire();
    return this.pair;
  }

  expire(): void {
    this.certificate.expire();
    this.key.expire();
  }
}

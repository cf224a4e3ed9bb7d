import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { readAuthorities } from '../../authentication/client-certificate/authorities.ts';
import { FollowedFiles } from './followed-files.ts';
import { readKeyPair, type KeyPairFiles } from './key-pair-files.ts';
import type { KeyPair, ListenerTls } from './listener-tls.ts';
import type { NamedPair } from './named-pair.ts';
import { readPemFile, understand } from './read-pem-file.ts';
import { serverNames } from './server-names.ts';
import type { TlsPolicy } from './tls-policy.ts';

export interface ServingTlsSettings {
  readonly pair: KeyPairFiles;
  readonly named: readonly NamedPair[];
  readonly policy: TlsPolicy;
  /** PEM files of authorities whose certificates clients are asked for; none: they are not asked. */
  readonly clientAuthorityFiles: readonly string[];
  /**
   * Called each time that changed files are used, and with those that are invalid: their previous content stays, the
   * others are used.
   */
  readonly onReload: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The TLS of the secure port from files, each pair and each file of authorities read again when it changes. Connections
 * that exist keep what they were made with.
 */
export class ServingTls implements ListenerTls {
  readonly requestCert: boolean;
  readonly contextFor?: (serverName: string) => SecureContext | undefined;
  private readonly settings: ServingTlsSettings;
  private readonly files: readonly FollowedFiles[];
  private use: ((context: SecureContextOptions) => void) | undefined;
  private material: Material;
  private current: Contexts;

  /** Throws an Error that says which file is wrong and why. */
  constructor(settings: ServingTlsSettings) {
    this.settings = settings;
    this.requestCert = settings.clientAuthorityFiles.length > 0;
    const { pair, named, clientAuthorityFiles } = settings;
    this.material = {
      pair: readKeyPair(pair),
      named: named.map(readKeyPair),
      authorities: clientAuthorityFiles.map(readAuthorityFile),
    };
    this.current = contextsOf(settings, this.material);
    if (named.length > 0) this.contextFor = (name) => this.current.contextFor(name);
    this.files = [
      this.followed(pairFiles(pair), (material) => ({ ...material, pair: readKeyPair(pair) })),
      ...named.map((item, i) =>
        this.followed(pairFiles(item), (material) => ({
          ...material,
          named: material.named.with(i, readKeyPair(item)),
        })),
      ),
      ...clientAuthorityFiles.map((file, i) =>
        this.followed([file], (material) => ({
          ...material,
          authorities: material.authorities.with(i, readAuthorityFile(file)),
        })),
      ),
    ];
  }

  get pair(): KeyPair {
    return this.material.pair;
  }

  get context(): SecureContextOptions {
    return this.current.context;
  }

  follow(use: (context: SecureContextOptions) => void): void {
    this.use = use;
  }

  async start(): Promise<void> {
    await Promise.all(this.files.map((files) => files.start()));
  }

  stop(): void {
    for (const files of this.files) files.stop();
  }

  /** Looks at the files now. */
  async check(): Promise<void> {
    await Promise.all(this.files.map((files) => files.check()));
  }

  /**
   * `reread` gives the material with what these files hold now; where it throws, or nothing can be made of it, all
   * stays as it is.
   */
  private followed(files: readonly string[], reread: (material: Material) => Material): FollowedFiles {
    const changed = (): void => {
      const material = reread(this.material);
      this.current = contextsOf(this.settings, material);
      this.material = material;
      this.use?.(this.current.context);
      this.settings.onReload();
    };
    return new FollowedFiles(files, { changed, onError: this.settings.onError });
  }
}

/** What the files held when they were last right. */
interface Material {
  readonly pair: KeyPair;
  /** In the order of the settings, as those of authorities are. */
  readonly named: readonly KeyPair[];
  readonly authorities: readonly (readonly string[])[];
}

interface Contexts {
  readonly context: SecureContextOptions;
  readonly contextFor: (serverName: string) => SecureContext | undefined;
}

function contextsOf({ named, policy }: ServingTlsSettings, material: Material): Contexts {
  const authorities = material.authorities.flat();
  // Clients get the names of the accepted authorities.
  const common = { ...policy, ...(authorities.length === 0 ? {} : { ca: authorities }) };
  const items = material.named.map(({ cert, key }, i) => ({
    patterns: named[i]!.patterns,
    cert,
    value: createSecureContext({ ...common, cert, key }),
  }));
  const context = { ...common, ...material.pair };
  // What cannot be used is found here, before anything is replaced.
  createSecureContext(context);
  return { context, contextFor: serverNames(items) };
}

function pairFiles({ certFile, keyFile }: KeyPairFiles): readonly string[] {
  return [certFile, keyFile];
}

function readAuthorityFile(file: string): readonly string[] {
  const pem = readPemFile(file);
  return understand(file, 'holds no PEM certificates of authorities', () => readAuthorities(pem)).certificates.map(
    String,
  );
}

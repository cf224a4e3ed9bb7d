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
  /** Told of each time that changed files are used, and of files that cannot be: what was there before goes on. */
  readonly onReload: () => void;
  readonly onError: (error: unknown) => void;
}

/** The TLS of the secure port from files, read again when they change. Connections that exist keep what they were made with. */
export class ServingTls implements ListenerTls {
  readonly requestCert: boolean;
  readonly contextFor?: (serverName: string) => SecureContext | undefined;
  private readonly settings: ServingTlsSettings;
  private readonly files: FollowedFiles;
  private use: ((context: SecureContextOptions) => void) | undefined;
  private current: Loaded;

  /** Throws an Error that says which file is wrong and why. */
  constructor(settings: ServingTlsSettings) {
    this.settings = settings;
    this.requestCert = settings.clientAuthorityFiles.length > 0;
    this.current = load(settings);
    if (settings.named.length > 0) this.contextFor = (name) => this.current.contextFor(name);
    const pairs = [settings.pair, ...settings.named].flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
    this.files = new FollowedFiles([...pairs, ...settings.clientAuthorityFiles], { changed: () => this.reload(), onError: settings.onError });
  }

  get pair(): KeyPair {
    return this.current.pair;
  }

  get context(): SecureContextOptions {
    return this.current.context;
  }

  follow(use: (context: SecureContextOptions) => void): void {
    this.use = use;
  }

  start(): Promise<void> {
    return this.files.start();
  }

  stop(): void {
    this.files.stop();
  }

  /** Looks at the files now. */
  check(): Promise<void> {
    return this.files.check();
  }

  private reload(): void {
    this.current = load(this.settings);
    this.use?.(this.current.context);
    this.settings.onReload();
  }
}

interface Loaded {
  readonly pair: KeyPair;
  readonly context: SecureContextOptions;
  readonly contextFor: (serverName: string) => SecureContext | undefined;
}

/** All files or, when one is wrong, an Error: a half of what changed is never used. */
function load({ pair, named, policy, clientAuthorityFiles }: ServingTlsSettings): Loaded {
  const authorities = clientAuthorityFiles.flatMap(readAuthorityFile);
  // Clients are told whose certificates are asked for.
  const common = { ...policy, ...(authorities.length === 0 ? {} : { ca: authorities }) };
  const main = readKeyPair(pair);
  const items = named.map((item) => {
    const { cert, key } = readKeyPair(item);
    return { patterns: item.patterns, cert, value: createSecureContext({ ...common, cert, key }) };
  });
  const context = { ...common, ...main };
  // What cannot be used is found here, before anything is replaced.
  createSecureContext(context);
  return { pair: main, context, contextFor: serverNames(items) };
}

function readAuthorityFile(file: string): readonly string[] {
  const pem = readPemFile(file);
  return understand(file, 'holds no PEM certificates of authorities', () => readAuthorities(pem)).certificates.map(String);
}

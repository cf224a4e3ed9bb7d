import { readFileSync } from 'node:fs';
import { ClusterConfigError } from '../client/cluster-config.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem } from '../options/options-error.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import type { AuthenticationObserver } from './authentication-observer.ts';

/** What authenticators are built from. */
export interface AuthenticationSettings {
  readonly options: OptionValues;
  readonly stores: StoreAccess;
  /** The administrator's token, which is always valid. */
  readonly adminToken: string;
  /** PEM of the secure port's private key: verifies tokens of service accounts where no option names a key. */
  readonly servingKey: string;
  /** Where others reach this server. */
  readonly address: { readonly hostPort: string };
  readonly observer: AuthenticationObserver;
  readonly onError: (error: unknown, where: string) => void;
  readonly nowMs: () => number;
}

/** The options of one start, read while authenticators are built; collects errors of the files that they name. */
export class OptionFiles {
  readonly options: OptionValues;
  readonly problems: string[] = [];

  constructor(options: OptionValues) {
    this.options = options;
  }

  /** The result of `use` for the file that an option names; undefined where it names none, or a bad one. */
  use<T>(option: string, use: (file: string) => T): T | undefined {
    const file = this.options.string(option);
    return file === '' ? undefined : this.attempt(option, file, use);
  }

  /** The same for an option that names several. */
  useEach<T>(option: string, use: (file: string) => T): readonly T[] {
    return this.options.list(option).flatMap((file) => {
      const made = this.attempt(option, file, use);
      return made === undefined ? [] : [made];
    });
  }

  private attempt<T>(option: string, file: string, use: (file: string) => T): T | undefined {
    try {
      return use(file);
    } catch (error) {
      this.problems.push(optionProblem(option, file, wordsOf(error)));
      return undefined;
    }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof ClusterConfigError) return error.problems.join('; ');
  return error instanceof Error ? error.message : String(error);
}

export function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

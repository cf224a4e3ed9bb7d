import { subjectAccessReviews } from '../../api/authorization/tokens.ts';
import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { Authorizer } from '../../authorization/authorizer.ts';
import { systemMasters } from '../../authorization/system-masters.ts';
import { unionAuthorizer } from '../../authorization/union/authorizer.ts';
import { webhookAuthorizer } from '../../authorization/webhook/authorizer.ts';
import type { Client } from '../../client/rest/client.ts';
import type { AccessConfig } from './program-config.ts';

export interface DelegatedAuthorizerOptions {
  readonly config: Pick<AccessConfig, 'alwaysAllowedPaths' | 'allowedTtlMs' | 'deniedTtlMs'>;
  /** May create SubjectAccessReviews. */
  readonly client: Pick<Client, 'create'>;
  readonly onError: (error: unknown, where: string) => void;
}

/** Some paths are for everybody and administrators may read all; of the rest the API server decides. */
export function delegatedAuthorizer({ config, client, onError }: DelegatedAuthorizerOptions): Authorizer {
  return unionAuthorizer([
    allowedPaths(config.alwaysAllowedPaths),
    systemMasters,
    webhookAuthorizer({
      call: (review) => client.create(subjectAccessReviews, review as never),
      version: 'v1',
      allowedTtlMs: config.allowedTtlMs,
      otherTtlMs: config.deniedTtlMs,
      nowMs: steadyMs,
      onError: (error) => onError(error, 'access reviews'),
    }),
  ]);
}

/** A path that ends with `*` stands for all that begin like it; the slash at the beginning may be left out. */
function allowedPaths(paths: readonly string[]): Authorizer {
  const bare = paths.map((path) => path.replace(/^\//, ''));
  const prefixes = bare.filter((path) => path.endsWith('*')).map((path) => path.slice(0, -1));
  const whole = new Set(bare.filter((path) => !path.endsWith('*')));
  return {
    name: 'AlwaysAllowPaths',
    authorize({ isResource, path }) {
      const asked = path.replace(/^\//, '');
      const isOpen = !isResource && (whole.has(asked) || prefixes.some((prefix) => asked.startsWith(prefix)));
      return { decision: isOpen ? 'allow' : 'no-opinion', reason: '' };
    },
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

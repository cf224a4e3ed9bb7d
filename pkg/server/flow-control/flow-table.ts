import type { UserInfo } from '../../api/resource-definition.ts';
import type { FlowSchema } from '../../generated/types/flowcontrol-v1.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { compileRule, type MatchesRequest, type MatchesUser } from './match-request.ts';

/** Users whose schemas are cached. */
const USERS_MAX = 2048;

/** A flow schema in use. */
export interface CompiledSchema {
  readonly name: string;
  readonly uid: string;
  readonly level: string;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
}

interface Candidate {
  readonly schema: CompiledSchema;
  readonly request: MatchesRequest;
}
interface KnownUser {
  readonly groups: readonly string[];
  readonly candidates: readonly Candidate[];
}

/** Flow schemas by precedence: finds the one of a request, and the flow within it. */
export class FlowTable {
  private readonly rules: readonly (Candidate & { readonly user: MatchesUser })[];
  private readonly fallback: CompiledSchema;
  private readonly users = new Map<string, KnownUser>();

  /** `fallback` is for requests without a match, so that none is without a schema. */
  constructor(schemas: readonly FlowSchema[], fallback: CompiledSchema) {
    this.fallback = fallback;
    this.rules = schemas.toSorted(byPrecedence).flatMap((flowSchema) => {
      const schema = compiled(flowSchema);
      return (flowSchema.spec.rules ?? []).map((rule) => ({ schema, ...compileRule(rule) }));
    });
  }

  schemaOf(user: UserInfo, info: RequestInfo): CompiledSchema {
    for (const { schema, request } of this.candidatesOf(user)) if (request(info)) return schema;
    return this.fallback;
  }

  /** The rules that match a user at all, cached for repeated requests. */
  private candidatesOf(user: UserInfo): readonly Candidate[] {
    const known = this.users.get(user.name);
    if (known !== undefined && (known.groups === user.groups || sameTexts(known.groups, user.groups)))
      return known.candidates;
    const candidates = this.rules.filter((rule) => rule.user(user));
    if (this.users.size >= USERS_MAX) this.users.clear();
    this.users.set(user.name, { groups: user.groups, candidates });
    return candidates;
  }
}

/** The flow distinguisher: separates a request's flow from the others of its schema. */
export function distinguish({ distinguisher }: CompiledSchema, user: UserInfo, info: RequestInfo): string {
  if (distinguisher === undefined) return '';
  return distinguisher === 'ByUser' ? user.name : info.namespace;
}

function compiled({ metadata, spec }: FlowSchema): CompiledSchema {
  const type = spec.distinguisherMethod?.type;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    level: spec.priorityLevelConfiguration.name ?? '',
    distinguisher: type === 'ByUser' || type === 'ByNamespace' ? type : undefined,
  };
}

function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  return (
    a.spec.matchingPrecedence - b.spec.matchingPrecedence ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)
  );
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

import type { UserInfo } from '../../api/resource-definition.ts';
import { KeyTree } from '../../apimachinery/collections/key-tree.ts';
import type { AuthorizationAttributes, AuthorizationDecision } from '../authorizer.ts';

/**
 * Cached decisions, of all users; some 300 bytes each, and less than 1500 where a client makes up every part. Clients
 * can send any request without end.
 */
const DECISIONS_MAX = 20_000;
/** Longest cached request, in characters: paths and reviews may be very long, and then name nothing that exists. */
const QUESTION_LENGTH_MAX = 512;

/**
 * Marks a user with one request: a user made up for a review, or an impersonated one, does not come back, and
 * leaves no more than this.
 *
 * Process-wide: nothing is ever put into it.
 */
const seenOnce = new KeyTree<AuthorizationDecision>();

/**
 * Decisions by user and request, as long as the policy stays the same: a request that a client repeats is decided by
 * one lookup instead of one for each of its roles. Users are compared by identity, since authenticators return the same
 * object for a known token; the entries of a collected user are collected with it.
 */
export class DecisionMemory {
  private users = new WeakMap<UserInfo, KeyTree<AuthorizationDecision>>();
  private policyVersion = 0;
  private kept = 0;

  /** The cached decision under this version of the policy. */
  recall(attributes: AuthorizationAttributes, policyVersion: number): AuthorizationDecision | undefined {
    if (policyVersion !== this.policyVersion) {
      this.forget();
      this.policyVersion = policyVersion;
    }
    const { verb, apiGroup, resource, subresource, namespace } = attributes;
    return this.users.get(attributes.user)?.get(verb, apiGroup, subresource, namespace, resource);
  }

  /** `decision` must hold for objects of every name. */
  keep(attributes: AuthorizationAttributes, decision: AuthorizationDecision): void {
    const { user, verb, apiGroup, resource, subresource, namespace } = attributes;
    if (verb.length + apiGroup.length + resource.length + subresource.length + namespace.length > QUESTION_LENGTH_MAX)
      return;
    if (this.kept >= DECISIONS_MAX) this.forget();
    let decisions = this.users.get(user);
    if (decisions === undefined) {
      this.users.set(user, seenOnce);
      return;
    }
    if (decisions === seenOnce) this.users.set(user, (decisions = new KeyTree()));
    decisions.set(verb, apiGroup, subresource, namespace, resource, decision);
    this.kept++;
  }

  private forget(): void {
    this.users = new WeakMap();
    this.kept = 0;
  }
}

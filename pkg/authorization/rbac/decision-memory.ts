import type { UserInfo } from '../../api/resource-definition.ts';
import { KeyTree } from '../../apimachinery/collections/key-tree.ts';
import type { AuthorizationAttributes, AuthorizationDecision } from '../authorizer.ts';

/**
 * Decisions remembered, of all users; some 300 bytes each, and less than 1500 where somebody makes up every part. Users
 * can ask for anything without end.
 */
const DECISIONS_MAX = 20_000;
/**
 * Characters of a question that is remembered: those of paths and reviews may be very long, and are about nothing that
 * exists.
 */
const QUESTION_LENGTH_MAX = 512;

/**
 * Stands for somebody who asked one question: who is made up for a review, or impersonated, is not seen again, and
 * leaves no more than this.
 *
 * Process-wide: nothing is ever put into it.
 */
const seenOnce = new KeyTree<AuthorizationDecision>();

/**
 * Decisions by user and question, as long as the policy stays the same: what a client does all the time is decided by
 * one look instead of one for each of its roles. Users are told apart by identity, since authenticators give the same
 * object for a token that they know; what belongs to one that nobody holds any more is gone with it.
 */
export class DecisionMemory {
  private users = new WeakMap<UserInfo, KeyTree<AuthorizationDecision>>();
  private policyVersion = 0;
  private kept = 0;

  /** What was decided before under this version of the policy. */
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

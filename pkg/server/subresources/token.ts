import { randomUUID } from 'node:crypto';
import { serviceAccounts } from '../../api/core/tokens.ts';
import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import { credentialIdOf } from '../../authentication/service-account/bound-token.ts';
import type { TokenIssuer } from '../../authentication/service-account/token-issuer.ts';
import type { TokenRequest } from '../../generated/types/authentication-v1.ts';
import type { ServiceAccount } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { negotiateAnswer } from '../answers/negotiate-answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import { answerReview } from '../reviews/answer-review.ts';
import { documentRequest } from './admit-document.ts';
import { boundObject } from '../../registry/subresources/bound-object.ts';
import { clearSystemFields } from '../verbs/clear-system-fields.ts';
import { decodeBodyKind } from './decode-body-kind.ts';
import { matchNamespace } from '../verbs/match-path.ts';
import { strategyContext } from '../verbs/strategy-context.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';
import { completeTokenRequest, matchAccount, validateTokenRequest } from '../../registry/subresources/token-request.ts';

/** The request of pods that mount a token at the usual place. */
const USUAL_SECONDS = 3607;
/** How long such a token is valid all the same: some clients never read it again. */
const EXTENDED_SECONDS = 365 * 24 * 3600;

/**
 * POST of a TokenRequest to `serviceaccounts/<name>/token`: it is validated after plugins changed it. A server without
 * a signing key answers as if there was no such subresource.
 */
export function handleToken(stores: StoreAccess, issuer: TokenIssuer | undefined): SubresourceHandler {
  return async (context, endpoint, parts) => {
    if (issuer === undefined) throw genericServerResponse(404);
    const { namespace, name } = context.info;
    const accepted = negotiateAnswer(context, { protobuf: true, transforms: 'metadata' });
    const { dryRun, fieldValidation } = parseWriteOptions(context.query, 'CreateOptions');
    const request = decodeBodyKind<TokenRequest>(
      context,
      endpoint.store.scheme,
      'TokenRequest',
      ['authentication.k8s.io/v1'],
      fieldValidation,
    );
    clearSystemFields(request);
    matchNamespace(context, endpoint, request);
    const admission = documentRequest(context, endpoint, 'CREATE', request, undefined, dryRun);
    await parts.admission.admit(admission);
    matchAccount(request, namespace, name);
    const account = (await getObject(stores(serviceAccounts), namespace, name, { kind: 'consistent' })).object();
    completeTokenRequest(request, issuer.defaultAudiences, strategyContext(context, endpoint, parts, dryRun).now);
    validateTokenRequest(request);
    await parts.admission.validate(admission);
    await issue(context, stores, issuer, request, account, parts.nowMs());
    answerReview(context, request, 'authentication/v1.TokenRequest', accepted);
  };
}

/** Puts the token into the request's status. */
async function issue(
  context: RequestContext,
  stores: StoreAccess,
  issuer: TokenIssuer,
  request: TokenRequest,
  account: ServiceAccount,
  nowMs: number,
): Promise<void> {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  const { spec } = request;
  const bound = spec.boundObjectRef ? await boundObject(stores, namespace, name, spec.boundObjectRef) : {};
  const audiences = spec.audiences ?? [];
  const seconds = shortened(context, Number(spec.expirationSeconds), issuer.validSecondsMax);
  const isExtended =
    issuer.extendsExpiry &&
    bound.pod !== undefined &&
    seconds === USUAL_SECONDS &&
    audiences.every((audience) => issuer.defaultAudiences.includes(audience));
  spec.expirationSeconds = seconds;
  const id = randomUUID();
  context.annotate('authentication.kubernetes.io/issued-credential-id', credentialIdOf(id));
  request.status = {
    token: issuer.issue(
      {
        id,
        namespace,
        account: { name, uid },
        ...bound,
        audiences,
        validSeconds: isExtended ? EXTENDED_SECONDS : seconds,
        ...(isExtended ? { warnAfterSeconds: seconds } : {}),
      },
      nowMs,
    ),
    expirationTimestamp: `${new Date((Math.floor(nowMs / 1000) + seconds) * 1000).toISOString().slice(0, 19)}Z`,
  };
}

function shortened(context: RequestContext, seconds: number, secondsMax: number): number {
  if (secondsMax === 0 || seconds <= secondsMax) return seconds;
  context.warn(`requested expiration of ${seconds} seconds shortened to ${secondsMax} seconds`);
  return secondsMax;
}

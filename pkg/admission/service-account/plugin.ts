import { setTimeout as sleep } from 'node:timers/promises';
import { pods, serviceAccounts } from '../../api/core/tokens.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { Pod, ServiceAccount } from '../../generated/types/core-v1.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { ObjectLookup } from '../object-lookup.ts';
import { refersToSecrets } from '../pod-references.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn, requestsOnPath } from '../handles.ts';
import { tokenSecretOf } from './account-token.ts';
import { unlistedEphemeralSecret, unlistedSecret } from './secret-references.ts';
import { mountProjectedToken, mountSecretToken } from './token-volume.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const ENFORCE_MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';
/** Go's spellings of true. */
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

export interface ServiceAccountSettings {
  /** Tokens come from secrets that the account lists, instead of from the node (`projectsTokens`). */
  readonly tokensFromSecrets: boolean;
  readonly accountWait?: AccountWait;
}

/** Sets the service account of every pod: the account's name, its token, and its credentials for image registries. */
export function serviceAccountPlugin(lookup: ObjectLookup, settings: ServiceAccountSettings): AdmissionPlugin {
  const accountOf = async (request: AdmissionRequest, name: string): Promise<ServiceAccount> => {
    const { namespace } = request;
    const found = await findAccount(lookup, namespace, name, settings.accountWait ?? defaultAccountWait);
    if (found === undefined)
      throw refusal(
        request,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    return found;
  };
  return {
    name: 'ServiceAccount',
    admit: handles(isNewPod, async (request) => {
      const pod = request.object;
      // Nodes compare a mirror pod with their own copy: nothing may be added.
      if (isMirror(pod)) return checkMirror(request, pod);
      const { spec } = pod;
      spec.serviceAccountName ||= DEFAULT_ACCOUNT;
      spec.serviceAccount = spec.serviceAccountName;
      const account = await accountOf(request, spec.serviceAccountName);
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
        if (settings.tokensFromSecrets) mountSecretToken(pod, await tokenSecretOf(lookup, account));
        else mountProjectedToken(pod);
      }
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
      checkSecrets(request, account, unlistedSecret(pod, account));
    }),
    validate: handles(
      (request) => isNewPod(request) || isDebugging(request),
      async (request) => {
        const pod = request.object;
        if (isMirror(pod)) return isDebugging(request) ? undefined : checkMirror(request, pod);
        const name = pod.spec.serviceAccountName ?? '';
        if (name === '')
          throw refusal(request, `no service account specified for pod ${request.namespace}/${request.name}`);
        const account = await accountOf(request, name);
        checkSecrets(
          request,
          account,
          isDebugging(request) ? unlistedEphemeralSecret(pod, account) : unlistedSecret(pod, account),
        );
      },
    ),
  };
}

const isNewPod = requestsOn(pods, 'CREATE');
const isDebugging = requestsOnPath(pods, 'ephemeralcontainers', 'UPDATE');

function isMirror({ metadata }: Pod): boolean {
  return getKey(metadata.annotations, MIRROR) !== undefined;
}

function checkMirror(request: AdmissionRequest, { spec }: Pod): void {
  if (spec.serviceAccountName) throw refusal(request, 'a mirror pod may not reference service accounts');
  if (refersToSecrets(spec)) throw refusal(request, 'a mirror pod may not reference secrets');
  for (const { projected } of spec.volumes ?? []) {
    if (projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)) {
      throw refusal(request, 'a mirror pod may not use ServiceAccountToken volume projections');
    }
  }
}

function checkSecrets(request: AdmissionRequest, { metadata }: ServiceAccount, problem: string | undefined): void {
  if (problem !== undefined && TRUE.has(getKey<string>(metadata.annotations, ENFORCE_MOUNTABLE) ?? ''))
    throw refusal(request, problem);
}

/** The account that a controller creates in every namespace. */
const DEFAULT_ACCOUNT = 'default';

/** How long to wait for it in a namespace that was just created. */
interface AccountWait {
  readonly attempts: number;
  readonly pauseMs: number;
}
const defaultAccountWait: AccountWait = { attempts: 10, pauseMs: 100 };

/** Undefined where the account does not exist; the default account is waited for. */
async function findAccount(
  lookup: ObjectLookup,
  namespace: string,
  name: string,
  accountWait: AccountWait,
): Promise<ServiceAccount | undefined> {
  const attempts = name === DEFAULT_ACCOUNT ? accountWait.attempts : 1;
  for (let attempt = 1; ; attempt++) {
    const found = await lookup.get(serviceAccounts, namespace, name);
    if (found !== undefined || attempt >= attempts) return found;
    await sleep(accountWait.pauseMs);
  }
}

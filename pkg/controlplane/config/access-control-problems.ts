import { builtInRegistry } from '../../api/built-in-registry.ts';
import type { OptionValues } from '../../options/option.ts';
import { OptionsError } from '../../options/options-error.ts';
import { ResourceStores } from '../../server/resource-stores.ts';
import { StoreUnavailableError } from '../../storage/store-errors.ts';
import type { Store } from '../../storage/store.ts';
import { openAccessControl } from '../open-access-control.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';

/**
 * What is wrong with the files of identity, authorization and admission: builds all of it over a store that is not
 * there, and lets it go.
 */
export function accessControlProblems(options: OptionValues): readonly string[] {
  const stores = new ResourceStores({
    scheme: builtInRegistry(),
    store: absentStore,
    cache: { bytes: 0, history: { sizes: new Map(), byDefault: 0 } },
    eventTtlSeconds: 0,
    collectsGarbage: true,
    onError: () => undefined,
  });
  const ignore = (): void => undefined;
  const webhookCertificates = new DeprecatedCertificates();
  try {
    openAccessControl(
      {
        options,
        adminToken: '',
        servingKey: '',
        address: { hostPort: '' },
        applyJsonPatch: absent,
        onError: ignore,
        authenticationObserver: {
          attempted: ignore,
          clientCertificateUsed: ignore,
          legacyTokenUsed: () => undefined,
          webhookCertificates,
          serviceAccountTokenUsed: ignore,
          tokenCache: { asked: ignore, fetching: ignore, fetched: ignore },
        },
        authorizationObserver: { graphChanged: ignore, webhookCertificates },
        admissionObserver: {
          ofPlugin: () => ignore,
          ofRound: () => ignore,
          podEvaluated: ignore,
          podExempted: ignore,
          webhookCalled: ignore,
          webhookRejected: ignore,
          webhookFailedOpen: ignore,
          webhookCertificates,
        },
      },
      stores.access,
    );
    return [];
  } catch (error) {
    // The rules between options report what an option without a value lacks.
    if (error instanceof OptionsError) return error.problems.filter((problem) => /^--[^:=]+=/.test(problem));
    throw error;
  }
}

const absent = (): never => {
  throw new StoreUnavailableError('there is no store');
};
const absentStore: Store = {
  get: absent,
  range: absent,
  commit: absent,
  watch: absent,
  currentRevision: absent,
  count: absent,
  compact: absent,
  ping: absent,
  close: () => Promise.resolve(),
};

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AdmissionChain } from '../pkg/admission/admission.ts';
import { alwaysAllow } from '../pkg/authorization/always-allow/authorizer.ts';
import { BodyBudget } from '../pkg/server/bodies/body-budget.ts';
import { filterChain } from '../pkg/server/filter-chain.ts';
import { ServingState } from '../pkg/server/serving-state.ts';
import { Logger } from '../pkg/logging/logger.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const text = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');

describe('ARCHITECTURE.md', () => {
  it('names only paths that exist', () => {
    const named = [...text.matchAll(/`((?:cmd|pkg|proto|hack|test|docs|charts)\/[\w./-]*)`/g)].map((m) => m[1]!);
    const mapped = [...text.matchAll(/^((?:cmd|pkg|proto|hack|test)\/[\w/-]*)\s/gm)].map((m) => m[1]!);
    const paths = [...new Set([...named, ...mapped])].filter((p) => !p.startsWith('pkg/generated'));
    assert.ok(paths.length > 20, String(paths.length));
    assert.deepEqual(
      paths.filter((p) => !existsSync(path.join(root, p))),
      [],
    );
  });

  it('lists the filters as they run', () => {
    const line = /The filters of `pkg\/server\/filter-chain\.ts`, outermost first: (.*)\./.exec(text)?.[1] ?? '';
    const documented = [...line.matchAll(/`([\w-]+)`/g)].map((m) => m[1]);
    const metrics = {
      started: () => undefined,
      finished: () => undefined,
      filterPassed: () => undefined,
      handshakeFailed: () => undefined,
      authorized: () => undefined,
    };
    const authenticator = { name: 'None', authenticate: () => undefined };
    const tokens = { name: 'None', authenticateToken: () => undefined };
    const serviceAccounts = { authenticator: tokens, issuer: undefined, audiences: [], openIdDocument: undefined };
    const accessControl = {
      authenticator,
      challenge: undefined,
      tokens,
      serviceAccounts,
      authorizer: alwaysAllow,
      admission: new AdmissionChain([]),
    };
    const actual = filterChain({
      metrics,
      logger: Logger.open({ verbosity: 0, destination: { write: () => undefined } }),
      accessControl,
      limits: {
        requestTimeoutMs: 1000,
        inFlight: { readOnly: 0, mutating: 0 },
        fairly: false,
        corsOrigins: [],
        strictTransport: [],
      },
      bodies: new BodyBudget(),
      fairShares: undefined,
      apiPage: undefined,
      audit: undefined,
      state: new ServingState(),
      onError: () => undefined,
    }).map(([name]) => name);
    assert.deepEqual(documented, actual);
  });
});

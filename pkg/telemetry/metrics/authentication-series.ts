import type { UserInfo } from '../../api/resource-definition.ts';
import type { AuthenticationObserver, AuthenticationResult } from '../../authentication/authentication-observer.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import { exponentialBounds, HistogramSeries } from './histogram-series.ts';
import type { MetricFamily, Sample } from './metric-family.ts';
import { TokenCacheSeries } from './token-cache-series.ts';

/** User names with a separate label; all others are grouped, since clients choose names without limit. */
const countedUsers: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
]);

/** 1 ms to 16 s. */
const durationBounds = exponentialBounds(0.001, 2, 15);

/** From half an hour to a year, after the bucket of expired ones. */
const expiryBounds = [
  0,
  1800,
  3600,
  2 * 3600,
  6 * 3600,
  12 * 3600,
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * 24 * 3600),
];

/** Authenticated users, and failed authentications. */
export class AuthenticationSeries implements AuthenticationObserver {
  readonly webhookCertificates: DeprecatedCertificates;
  readonly tokenCache = new TokenCacheSeries();
  private readonly users = new Map<string, number>();
  private readonly attempts = new Map(
    (['success', 'failure', 'error'] as const).map((result) => [
      result,
      { count: 0, duration: new HistogramSeries({ result }, durationBounds) },
    ]),
  );
  private readonly certificates = new HistogramSeries({}, expiryBounds);
  private readonly accountTokens = { legacy: 0, stale: 0, valid: 0 };
  private readonly legacyTokens = { generated: 0, manual: 0, invalidated: 0 };

  constructor(webhookCertificates = new DeprecatedCertificates()) {
    this.webhookCertificates = webhookCertificates;
  }

  attempted(result: AuthenticationResult, seconds: number, user: UserInfo | undefined): void {
    const attempts = this.attempts.get(result)!;
    attempts.count++;
    attempts.duration.observe(seconds);
    if (user === undefined) return;
    const label = usernameLabel(user.name);
    this.users.set(label, (this.users.get(label) ?? 0) + 1);
  }

  clientCertificateUsed(secondsLeft: number): void {
    this.certificates.observe(secondsLeft);
  }

  serviceAccountTokenUsed(kind: 'legacy' | 'stale' | 'valid'): void {
    this.accountTokens[kind]++;
  }

  legacyTokenUsed(kind: 'generated' | 'manual' | 'invalidated'): void {
    this.legacyTokens[kind]++;
  }

  families(): readonly MetricFamily[] {
    const { accountTokens, legacyTokens } = this;
    return [
      {
        name: 'authenticated_user_requests',
        type: 'untyped',
        help: 'Requests whose sender is known, by user name as far as names are counted.',
        samples: () => [...this.users].map(([username, value]): Sample => ({ labels: { username }, value })),
      },
      {
        name: 'authentication_attempts',
        type: 'untyped',
        help: 'Requests by whether it became known who sent them; error: they showed something bad.',
        samples: () => [...this.attempts].map(([result, { count }]): Sample => ({ labels: { result }, value: count })),
      },
      {
        name: 'authentication_duration_seconds',
        type: 'histogram',
        help: 'Time until it was known who sent a request, or that it is not known.',
        series: () => [...this.attempts.values()].map(({ duration }) => duration).filter(({ count }) => count > 0),
      },
      {
        name: 'apiserver_client_certificate_expiration_seconds',
        type: 'histogram',
        help: 'Time until the certificate expires that a client showed, at each of its requests.',
        series: () => [this.certificates],
      },
      {
        name: 'serviceaccount_legacy_tokens_total',
        type: 'counter',
        help: 'Uses of tokens that stand in secrets.',
        samples: () => [{ labels: {}, value: accountTokens.legacy }],
      },
      {
        name: 'serviceaccount_stale_tokens_total',
        type: 'counter',
        help: 'Uses of tokens that should have been replaced.',
        samples: () => [{ labels: {}, value: accountTokens.stale }],
      },
      {
        name: 'serviceaccount_valid_tokens_total',
        type: 'counter',
        help: 'Uses of tokens that will have to be replaced, and need not be yet.',
        samples: () => [{ labels: {}, value: accountTokens.valid }],
      },
      {
        name: 'serviceaccount_legacy_auto_token_uses_total',
        type: 'counter',
        help: 'Uses of tokens in secrets that the control plane generated.',
        samples: () => [{ labels: {}, value: legacyTokens.generated }],
      },
      {
        name: 'serviceaccount_legacy_manual_token_uses_total',
        type: 'counter',
        help: 'Uses of tokens in secrets that users created.',
        samples: () => [{ labels: {}, value: legacyTokens.manual }],
      },
      {
        name: 'serviceaccount_invalid_legacy_auto_token_uses_total',
        type: 'counter',
        help: 'Uses of tokens in secrets that are marked as invalid.',
        samples: () => [{ labels: {}, value: legacyTokens.invalidated }],
      },
      ...this.tokenCache.families(),
    ];
  }
}

function usernameLabel(name: string): string {
  if (countedUsers.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}

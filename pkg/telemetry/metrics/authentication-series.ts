import { unknownUser, type RequestContext } from '../../server/request-context.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

/** User names that are labels by themselves; all others are grouped, since names come from outside and are without number. */
const countedUsers: ReadonlySet<string> = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

/** Who asked, and how often it was not known who. */
export class AuthenticationSeries {
  private readonly users = new Map<string, number>();
  private failures = 0;

  finished(context: RequestContext): void {
    if (context.user === unknownUser) {
      this.failures++;
      return;
    }
    const label = usernameLabel(context.user.name);
    this.users.set(label, (this.users.get(label) ?? 0) + 1);
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'authenticated_user_requests', type: 'counter', help: 'Requests whose sender is known, by user name as far as names are counted.',
        samples: () => [...this.users].map(([username, value]): Sample => ({ labels: { username }, value })),
      },
      {
        name: 'authentication_attempts', type: 'counter', help: 'Requests by whether it became known who sent them.',
        samples: () => [
          { labels: { result: 'success' }, value: [...this.users.values()].reduce((a, b) => a + b, 0) },
          { labels: { result: 'failure' }, value: this.failures },
        ],
      },
    ];
  }
}

function usernameLabel(name: string): string {
  if (countedUsers.has(name)) return name;
  return name.includes('@') ? 'email_id' : 'other';
}

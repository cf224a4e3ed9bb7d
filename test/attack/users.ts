import { NAMESPACE, withClient, type AttackTarget } from './attack.ts';

/**
 * Those who take part: accounts of the server's own, so that neither is an administrator, whom servers never hold back.
 */
export interface AttackUsers {
  readonly attacker: AttackTarget;
  readonly bystander: AttackTarget;
}

const HOUR_SECONDS = 3600;

/** Makes the namespace and two accounts with all rights in `admin`'s name. */
export async function makeUsers(admin: AttackTarget): Promise<AttackUsers> {
  return withClient(admin, async (client) => {
    const make = async (path: string, body: object): Promise<void> => {
      const { status } = await client.post(path, body);
      if (status !== 201 && status !== 409) throw new Error(`${path} was answered ${status}`);
    };
    await make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    const userOf = async (name: string): Promise<AttackTarget> => {
      await make(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name },
      });
      await make('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: `${NAMESPACE}-${name}` },
        subjects: [{ kind: 'ServiceAccount', namespace: NAMESPACE, name }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      });
      const answer = await client.post(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${name}/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: HOUR_SECONDS },
      });
      if (answer.status !== 201) throw new Error(`no token for ${name}: ${answer.status}`);
      return { url: admin.url, token: answer.json.status.token };
    };
    return { attacker: await userOf('attacker'), bystander: await userOf('bystander') };
  });
}

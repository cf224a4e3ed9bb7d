import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { admissionPlugins } from '../../../pkg/admission/plugins.ts';
import type { EtcdServer } from '../../fixtures/etcd-server.ts';
import { expectStatus } from '../client/expect-status.ts';
import { jsonBody } from '../client/create-operation.ts';
import { HttpConnection, type Endpoint } from '../client/http-connection.ts';
import { prepareNamespaces } from '../prepare.ts';
import { namespaces } from '../workload/names.ts';
import { Binnacle } from './binnacle.ts';
import type { RunningServer } from './server-under-test.ts';

/**
 * The two servers of the comparison: one that asks nothing of requests beyond who sends them, one with all that guards
 * a cluster. Or two programs, both guarded.
 */
export const sideNames = ['without', 'with'] as const;
export type SideName = (typeof sideNames)[number];

export interface SideOptions {
  readonly program: string;
  /** The program of the side `without`, which is guarded as the other one then. */
  readonly before: string | undefined;
  /** For the data of both sides. */
  readonly dir: string;
  readonly etcd: EtcdServer | undefined;
}

/** A side, with the endpoint of an ordinary user who may edit what is in the workload's namespaces. */
export interface RunningSide extends RunningServer {
  /** Its user is exempt from the limits on requests of one user. */
  readonly administrator: Endpoint;
}

const USER = 'bench';
const TOKEN = 'bench-token-of-an-ordinary-user';
const AUDIT_POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n';

/** Starts a side for the `start`th time, on data of its own, with the workload's namespaces. */
export async function startSide(
  name: SideName,
  start: number,
  { program, before, dir, etcd }: SideOptions,
): Promise<RunningSide> {
  const own = path.join(dir, `${name}-${start}`);
  mkdirSync(own, { recursive: true });
  const isGuarded = name === 'with' || before !== undefined;
  const flags = [...tokenFlags(own), ...(isGuarded ? guardedFlags(own) : openFlags())];
  const binnacle = new Binnacle({
    name,
    program: name === 'with' ? program : (before ?? program),
    dir: own,
    etcd,
    flags,
  });
  const server = await binnacle.start();
  try {
    await prepareNamespaces(server.endpoint);
    await letEdit(server.endpoint);
    return { ...server, endpoint: { ...server.endpoint, token: TOKEN }, administrator: server.endpoint };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function tokenFlags(dir: string): string[] {
  const file = path.join(dir, 'tokens.csv');
  writeFileSync(file, `${TOKEN},${USER},1\n`, { mode: 0o600 });
  return ['--token-auth-file', file];
}

function openFlags(): string[] {
  const plugins = admissionPlugins.filter(({ defaultOn }) => defaultOn).map(({ name }) => name);
  return ['--authorization-mode', 'AlwaysAllow', '--disable-admission-plugins', plugins.join(',')];
}

function guardedFlags(dir: string): string[] {
  const policy = path.join(dir, 'audit-policy.yaml');
  writeFileSync(policy, AUDIT_POLICY);
  return [
    '--authorization-mode',
    'Node,RBAC',
    '--audit-policy-file',
    policy,
    '--audit-log-path',
    path.join(dir, 'audit.log'),
    '--audit-log-mode',
    'batch',
  ];
}

async function letEdit(endpoint: Endpoint): Promise<void> {
  const connection = await HttpConnection.open(endpoint);
  try {
    for (const namespace of Object.values(namespaces)) {
      const binding = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: USER },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      };
      const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
      expectStatus(
        await connection.request('POST', path, jsonBody, JSON.stringify(binding)),
        201,
        `bind ${USER} in ${namespace}`,
      );
    }
  } finally {
    connection.close();
  }
}

import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../apimachinery/json/json-object.ts';
import { parseYaml, toYaml } from '../codec/yaml.ts';

export interface KubeconfigSettings {
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  readonly token: string;
}

/** Names of the cluster and of the context. */
const NAME = 'binnacle';
const USER = 'binnacle-admin';

/**
 * Writes a cluster-config file that kubectl, helm and client libraries read; for its owner's eyes alone, since it holds
 * a credential. What its owner has added stays: other users, clusters and contexts, the context in use, and the
 * namespace of this one.
 */
export function writeKubeconfig(file: string, settings: KubeconfigSettings): void {
  writeFileSync(file, toYaml(adminKubeconfig(settings, readBefore(file))), { mode: 0o600 });
  chmodSync(file, 0o600);
}

/** A cluster configuration in which the administrator is the current user; `before` keeps what is not ours. */
export function adminKubeconfig({ server, ca, token }: KubeconfigSettings, before: JsonObject = {}): JsonObject {
  const contexts = entriesOf(before.contexts);
  const current = before['current-context'];
  const own = contexts.find(({ name }) => name === NAME)?.context;
  return {
    ...before,
    apiVersion: 'v1',
    kind: 'Config',
    clusters: withEntry(entriesOf(before.clusters), {
      name: NAME,
      cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
    }),
    users: withEntry(entriesOf(before.users), { name: USER, user: { token } }),
    contexts: withEntry(contexts, {
      name: NAME,
      context: { ...(isJsonObject(own) ? own : {}), cluster: NAME, user: USER },
    }),
    'current-context': contexts.some(({ name }) => name === current) ? current : NAME,
  };
}

/** Nothing where there is no file yet, or none of this form. */
function readBefore(file: string): JsonObject {
  try {
    const before = parseYaml(readFileSync(file, 'utf8'));
    return isJsonObject(before) ? before : {};
  } catch {
    // No file yet, or not YAML: it has no entries to keep.
    return {};
  }
}

function entriesOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter((entry) => isJsonObject(entry) && typeof entry.name === 'string') : [];
}

function withEntry(entries: readonly JsonObject[], entry: JsonObject): readonly JsonObject[] {
  return [entry, ...entries.filter(({ name }) => name !== entry.name)];
}

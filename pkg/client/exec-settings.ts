import path from 'node:path';
import { getKey } from '../apimachinery/json/own-keys.ts';
import type { FileFields } from './cluster-config-fields.ts';

/** How a credential plugin is run. */
export interface ExecSettings {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Besides those of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  /** The plugin gets the cluster. */
  readonly provideClusterInfo: boolean;
  /** What the cluster's entry has for plugins, of any shape. */
  readonly clusterExtension?: unknown;
}

const GROUP = 'client.authentication.k8s.io';
const VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'];

/** Reads the `exec` of a user; problems are added to those of the file. */
export function execSettings(user: FileFields): ExecSettings | undefined {
  const fields = user.section('exec');
  if (fields === undefined) return undefined;
  const apiVersion = fields.text('apiVersion') ?? '';
  const command = fields.text('command');
  const args = fields.texts('args');
  const env = environment(fields);
  const mode = fields.text('interactiveMode');
  if (!VERSIONS.includes(apiVersion)) fields.problem(`apiVersion must be one of ${VERSIONS.join(', ')}`);
  if (command === undefined) fields.problem('command must be specified to use exec authentication plugin');
  if (mode === undefined && apiVersion === VERSIONS[0]) {
    fields.problem('interactiveMode must be specified to use exec authentication plugin');
  }
  if (mode !== undefined && !INTERACTIVE_MODES.includes(mode)) {
    fields.problem(`invalid interactiveMode ${JSON.stringify(mode)}`);
  }
  if (mode === 'Always') fields.problem('interactiveMode Always is not supported: nobody can be asked');
  const installHint = fields.text('installHint');
  return {
    apiVersion,
    command: command === undefined ? '' : commandPath(command, fields),
    args,
    env,
    ...(installHint === undefined ? {} : { installHint }),
    provideClusterInfo: fields.flag('provideClusterInfo'),
  };
}

/** A command with a separator is relative to the file; others are looked up in `PATH`. */
function commandPath(command: string, fields: FileFields): string {
  return command.includes(path.sep) ? path.resolve(fields.dir, command) : command;
}

function environment(fields: FileFields): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const entry of fields.entries('env')) {
    const name = getKey(entry, 'name');
    const value = getKey(entry, 'value') ?? '';
    if (typeof name === 'string' && name !== '' && typeof value === 'string') variables[name] = value;
    else fields.problem('every entry of env must have a name and a value');
  }
  return variables;
}

/** What a cluster's extensions have for plugins: that named `client.authentication.k8s.io/exec`. */
export function execExtension(cluster: FileFields): unknown {
  for (const entry of cluster.entries('extensions')) {
    if (getKey(entry, 'name') === `${GROUP}/exec`) return getKey(entry, 'extension');
  }
  return undefined;
}

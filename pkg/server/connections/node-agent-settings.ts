import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { OptionValues } from '../../options/option.ts';
import type { BackendTls } from './backend.ts';
import { agentTlsFiles, followedAgentTls, readAgentTls, type AgentTlsFiles } from './node-agent-tls.ts';

/** What the `--nodeagent-*` options say of the agents of nodes: plain data. */
export interface NodeAgentConfig {
  readonly https: boolean;
  /** Kinds of addresses of a node in order of preference. */
  readonly addressTypes: readonly string[];
  /** For nodes that report none. */
  readonly port: number;
  readonly dialTimeoutMs: number;
  /** Followed while the server runs: certificates of clients are short-lived. */
  readonly tlsFiles: AgentTlsFiles;
}

/** How agents of nodes are reached. */
export interface NodeAgentSettings extends Omit<NodeAgentConfig, 'tlsFiles'> {
  /** As the files have it now. */
  readonly tls: () => BackendTls;
}

/** Throws `OptionsError` for what is wrong with the files. */
export function readNodeAgentConfig(options: OptionValues): NodeAgentConfig {
  const tlsFiles = agentTlsFiles(options);
  readAgentTls(tlsFiles);
  return {
    https: options.bool('nodeagent-https'),
    addressTypes: options.list('nodeagent-preferred-address-types'),
    port: options.int('nodeagent-port'),
    dialTimeoutMs: options.timerMs('nodeagent-timeout'),
    tlsFiles,
  };
}

/** `onWarning` gets what is wrong with the files later. */
export function nodeAgentSettings(
  { tlsFiles, ...config }: NodeAgentConfig,
  onWarning: (message: string) => void = () => undefined,
  nowMs: () => number = steadyMs,
): NodeAgentSettings {
  return { ...config, tls: followedAgentTls(tlsFiles, onWarning, nowMs) };
}

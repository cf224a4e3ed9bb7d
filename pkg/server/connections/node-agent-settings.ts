import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { OptionValues } from '../../options/option.ts';
import type { BackendTls } from './backend.ts';
import { followedAgentTls } from './node-agent-tls.ts';

/** The `--nodeagent-*` options for the agents of nodes. */
export interface NodeAgentSettings {
  readonly https: boolean;
  /** Kinds of addresses of a node in order of preference. */
  readonly addressTypes: readonly string[];
  /** For nodes that report none. */
  readonly port: number;
  readonly dialTimeoutMs: number;
  /** From the files as they are now: client certificates are short-lived. */
  readonly tls: () => BackendTls;
}

/** Reads the files as well; throws `OptionsError` for errors in them. `onWarning` gets later errors. */
export function nodeAgentSettings(
  options: OptionValues,
  onWarning: (message: string) => void = () => undefined,
  nowMs: () => number = steadyMs,
): NodeAgentSettings {
  return {
    https: options.bool('nodeagent-https'),
    addressTypes: options.list('nodeagent-preferred-address-types'),
    port: options.int('nodeagent-port'),
    dialTimeoutMs: options.timerMs('nodeagent-timeout'),
    tls: followedAgentTls(options, onWarning, nowMs),
  };
}

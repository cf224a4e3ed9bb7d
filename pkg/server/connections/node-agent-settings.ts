import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { OptionValues } from '../../options/option.ts';
import type { BackendTls } from './backend.ts';
import { followedAgentTls } from './node-agent-tls.ts';

/** What the `--nodeagent-*` options say of the agents of nodes. */
export interface NodeAgentSettings {
  readonly https: boolean;
  /** Kinds of addresses of a node in the order in which they are wanted. */
  readonly addressTypes: readonly string[];
  /** Where a node tells none. */
  readonly port: number;
  readonly dialTimeoutMs: number;
  /** As the files have it now: certificates of clients are short-lived. */
  readonly tls: () => BackendTls;
}

/**
 * Reads the files as well; throws `OptionsError` for what is wrong with them. `onWarning` gets what is wrong with them
 * later.
 */
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

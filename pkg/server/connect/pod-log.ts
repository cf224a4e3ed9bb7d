import type { IncomingMessage } from 'node:http';
import { pods } from '../../api/core/tokens.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { plainInternal } from '../../apimachinery/errors/status-error.ts';
import type { PodLogOptions } from '../../generated/types/core-v1.ts';
import { getObject } from '../../registry/read-objects.ts';
import { hostPort, type Backend } from '../connections/backend.ts';
import type { Connections } from '../connections/connections.ts';
import { DialError } from '../connections/dial-error.ts';
import { exchange } from '../connections/exchange.ts';
import { unverified } from '../connections/node-agents.ts';
import { sendAnswer } from '../connections/send-answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondBytes } from '../answers/respond.ts';
import { agentRefusal } from './agent-refusal.ts';
import { agentLogQuery, checkLogOptions, podLogOptions } from './log-options.ts';
import { chosenContainer } from './pod-container.ts';
import type { SubresourceHandler } from '../subresources/subresource-handlers.ts';

/** Bytes of an agent's refusal that the client sees. */
const REFUSAL_BYTES_MAX = 50_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** GET of `pods/<name>/log`: streams the log from the agent of the pod's node. */
export function handlePodLog(stores: StoreAccess, connections: Connections): SubresourceHandler {
  return async (context) => {
    const { namespace, name } = context.info;
    const options = podLogOptions(context.query);
    checkLogOptions(options, name);
    const pod = (await getObject(stores(pods), namespace, name, { kind: 'consistent' })).object();
    const container = chosenContainer(pod, options.container ?? '');
    // No container has run yet, so nothing was written.
    if (!pod.spec.nodeName) return respondBytes(context, 204, 'text/plain', new Uint8Array());
    const agent = await connections.agents.find(pod.spec.nodeName);
    const path = `/containerLogs/${[namespace, name, container].map(encodeURIComponent).join('/')}${agentLogQuery(options)}`;
    const answer = await ask(context, connections, agentFor(agent, options), path);
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 206) throw agentRefusal(status, await textOf(answer), 'pods/log', name);
    await sendAnswer(context, {
      status: 200,
      headers: { 'content-type': ['text/plain'] },
      body: answer,
      source: answer,
    });
  };
}

function agentFor(agent: Backend, { insecureSkipTLSVerifyBackend }: PodLogOptions): Backend {
  return insecureSkipTLSVerifyBackend === true ? unverified(agent) : agent;
}

async function ask(
  context: RequestContext,
  connections: Connections,
  agent: Backend,
  path: string,
): Promise<IncomingMessage> {
  const failed = (reason: string): Error =>
    plainInternal(`Get ${JSON.stringify(`${agent.scheme}://${hostPort(agent)}${path}`)}: ${reason}`);
  try {
    const socket = await connections.open(agent);
    context.response.once('close', () => void socket.destroy());
    if (context.closed) socket.destroy();
    const { response } = await exchange(socket, {
      method: 'GET',
      path,
      headers: { host: [hostPort(agent)], 'user-agent': ['binnacle'] },
    });
    if (!redirects.has(response.statusCode ?? 0)) return response;
    response.destroy();
  } catch (error) {
    throw error instanceof DialError ? failed(error.message) : error;
  }
  throw failed('redirects forbidden');
}

/** The text of an agent's refusal, up to the limit. */
async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of answer) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes >= REFUSAL_BYTES_MAX) break;
    }
  } catch {
    // What came before the connection broke is enough.
  }
  answer.destroy();
  return Buffer.concat(parts).subarray(0, REFUSAL_BYTES_MAX).toString();
}

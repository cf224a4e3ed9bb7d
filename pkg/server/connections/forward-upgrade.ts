import { plainInternal } from '../../apimachinery/errors/status-error.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestContext } from '../request/request-context.ts';
import type { Connections } from './connections.ts';
import { DialError } from './dial-error.ts';
import { exchange } from './exchange.ts';
import type { Destination } from './forward-request.ts';
import { requestHeaders, responseHeaders } from './forwarded-headers.ts';
import { joinSockets } from './join-sockets.ts';
import { sendAnswer } from './send-answer.ts';

/** How long a backend may take to answer: meanwhile the loss of the client is not noticed. */
const ANSWER_MS = 60_000;
/** Longest pause in the body of a refusal, milliseconds. */
const REFUSAL_MS = 10_000;

/**
 * Requests the client's upgrade from a backend, and joins the two connections after the switch until both are closed.
 * Any other answer is sent to the client and ends both connections. Throws 500 for a backend that cannot be reached, or
 * whose answer is invalid.
 */
export async function forwardUpgrade(
  context: RequestContext,
  connections: Connections,
  client: Socket,
  { backend, path }: Destination,
): Promise<void> {
  const socket = await openFor(connections, backend);
  const abandon = (): void => void socket.destroy();
  client.once('close', abandon);
  if (context.closed) abandon();
  const protocol = context.headers.upgrade ?? '';
  const headers = { ...requestHeaders(context), connection: ['Upgrade'], upgrade: [protocol] };
  const { response, upgradeHead } = await answerOf(socket, { method: context.method, path, headers });
  if (upgradeHead === undefined) return refuse(context, socket, response);
  if (!isOffered(response.headers.upgrade, protocol)) {
    socket.destroy();
    throw plainInternal('invalid upgrade response: the protocol is none that was asked for');
  }
  if (upgradeHead.length > 0) socket.unshift(upgradeHead);
  client.off('close', abandon);
  try {
    if (await switchProtocols(context, client, response)) await joinSockets(client, socket, context.rate);
  } finally {
    socket.destroy();
  }
}

/** Names of protocols are compared without case; a client may offer several. */
function isOffered(chosen: string | undefined, offered: string): boolean {
  return (
    chosen !== undefined &&
    offered
      .toLowerCase()
      .split(',')
      .some((protocol) => protocol.trim() === chosen.toLowerCase())
  );
}

async function openFor(connections: Connections, backend: Destination['backend']): Promise<Socket> {
  try {
    return await connections.open(backend);
  } catch (error) {
    throw error instanceof DialError ? plainInternal(`error dialing backend: ${error.message}`) : error;
  }
}

async function answerOf(...[socket, request]: Parameters<typeof exchange>): ReturnType<typeof exchange> {
  try {
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    const answer = await exchange(socket, request);
    socket.setTimeout(0);
    return answer;
  } catch (error) {
    throw error instanceof DialError ? plainInternal(error.message) : error;
  }
}

/**
 * The backend's own refusal goes to the client; an answer that is neither that nor a switch would leave an open
 * connection.
 */
async function refuse(context: RequestContext, socket: Socket, response: IncomingMessage): Promise<void> {
  const status = response.statusCode ?? 0;
  try {
    if (status < 400) throw plainInternal(`invalid upgrade response: status code ${status}`);
    socket.setTimeout(REFUSAL_MS, () => socket.destroy());
    await sendAnswer(context, {
      status,
      headers: responseHeaders(response.rawHeaders),
      body: response,
      source: response,
    });
  } finally {
    socket.destroy();
  }
}

/** Sends the client the switch; its connection then belongs to the caller. False when it is gone. */
async function switchProtocols(
  context: RequestContext,
  client: Socket,
  { headers, rawHeaders }: IncomingMessage,
): Promise<boolean> {
  context.status = 101;
  const audited = context.audit?.answering(101);
  if (audited !== undefined) await audited;
  if (context.closed) return false;
  // Upgrades come over HTTP/1.1 alone.
  const response = context.response as ServerResponse;
  response.writeHead(101, {
    ...responseHeaders(rawHeaders),
    'audit-id': context.id,
    connection: 'Upgrade',
    upgrade: headers.upgrade!,
  });
  response.flushHeaders();
  response.detachSocket(client);
  return true;
}

import http, { type Agent, type AgentOptions } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type HttpAnswer, type HttpRequest, type HttpTransport, StaleConnectionError } from './http-transport.ts';
import { type Endpoint, hostOf, KEEP_ALIVE_MS, openSocket, portOf, tlsOptions } from './open-socket.ts';

/** Connections for calls; what is beyond waits for one. Each watch has one besides. */
const CONNECTIONS_MAX = 32;

/** HTTP/1.1 over kept connections. */
export class Http1Transport implements HttpTransport {
  private readonly endpoint: Endpoint;
  private readonly calls: Agent;
  /** Watches would take all connections away from calls. */
  private readonly watches: Agent;
  private readonly request: typeof http.request;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.calls = agentFor(endpoint, CONNECTIONS_MAX);
    this.watches = agentFor(endpoint, Infinity);
    this.request = endpoint.server.protocol === 'https:' ? https.request : http.request;
  }

  send({ method, path, headers, body, lasts, beforeSend, signal }: HttpRequest): Promise<HttpAnswer> {
    const { server } = this.endpoint;
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    return new Promise((resolve, reject) => {
      const request = this.request({
        agent: lasts ? this.watches : this.calls,
        host: hostOf(server),
        port: portOf(server),
        method,
        path,
        headers: { host: server.host, ...headers, ...length } as http.OutgoingHttpHeaders,
      });
      const abort = (): void => void request.destroy(signal.reason as Error);
      signal.addEventListener('abort', abort);
      request.once('close', () => signal.removeEventListener('abort', abort));
      request.once('response', (answer) => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
      });
      // Stays: an answer that breaks off fails by its own event and by this one.
      request.on('error', (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        reject(stale && !signal.aborted ? new StaleConnectionError({ cause: error }) : error);
      });
      if (beforeSend === undefined) request.end(body);
      else
        request.once('socket', (socket) =>
          whenConnected(socket, () => {
            try {
              beforeSend();
              request.end(body);
            } catch (error) {
              request.destroy(error as Error);
            }
          }),
        );
    });
  }

  close(): void {
    this.calls.destroy();
    this.watches.destroy();
  }
}

function whenConnected(socket: Socket, ready: () => void): void {
  if (socket.connecting) socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', ready);
  else ready();
}

function agentFor(endpoint: Endpoint, maxSockets: number): Agent {
  const options: AgentOptions = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxSockets, scheduling: 'lifo' };
  const agent =
    endpoint.server.protocol === 'https:'
      ? new https.Agent({ ...options, ...tlsOptions(endpoint) })
      : new http.Agent(options);
  if (endpoint.proxy !== undefined) tunnel(agent, endpoint);
  return agent;
}

/** Makes an agent's connections lead through the proxy. */
function tunnel(agent: Agent, endpoint: Endpoint): void {
  agent.createConnection = (_options, created) => {
    openSocket(endpoint, 'http/1.1').then(
      (socket) => created?.(null, socket),
      (error: Error) => created?.(error, undefined as never),
    );
    return undefined;
  };
}

/**
 * Node's https: client.ts URL TOKEN PLAN...; goes through each plan on a connection of its own, and says how many
 * connections it took.
 */
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Step } from './plan.ts';

const [url = '', token = '', ...plans] = process.argv.slice(2);
const failures: string[] = [];
const sockets = new Set<Socket>();

function send(agent: https.Agent, step: Step): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const body = step.bodyFile === '' ? undefined : readFileSync(step.bodyFile);
    const request = https.request(
      new URL(step.path, url),
      {
        method: step.method,
        agent,
        rejectUnauthorized: false,
        timeout: 60_000,
        headers: {
          authorization: `Bearer ${token}`,
          accept: step.accept,
          ...(body === undefined ? {} : { 'content-type': step.contentType, 'content-length': body.length }),
        },
      },
      resolve,
    );
    request.on('socket', (socket) => sockets.add(socket));
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', reject);
    // Head and body in records of their own.
    request.flushHeaders();
    request.end(body);
  });
}

async function follow(plan: string): Promise<void> {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  for (const step of JSON.parse(readFileSync(plan, 'utf8')) as readonly Step[]) {
    try {
      const answer = await send(agent, step);
      const data = await buffer(answer);
      if (answer.statusCode !== step.status || data.length < step.bytesMin)
        throw new Error(`${answer.statusCode}, ${data.length} bytes: ${data.toString('utf8', 0, 200)}`);
    } catch (error) {
      failures.push(`${step.method} ${step.path}: ${String(error)}`);
    }
  }
  agent.destroy();
}

await Promise.all(plans.map(follow));
console.log(JSON.stringify({ failures: failures.slice(0, 5), failed: failures.length, connections: sockets.size }));

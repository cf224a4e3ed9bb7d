/**
 * The floor that Node sets: bare Fastify over TLS that sends a ready buffer, or parses a body and answers with it.
 * Arguments: a directory for the certificate, a JSON object from path names to sizes in bytes, and the number of pods
 * that are watched.
 */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { readKeyPair } from '../../../pkg/server/tls/key-pair-files.ts';
import { ensureSelfSigned } from '../../../pkg/server/tls/self-signed.ts';
import { serveWatchFloor } from './watch-floor.ts';

const [dir, sizesText, pods] = process.argv.slice(2);
if (dir === undefined || sizesText === undefined) throw new Error('arguments: DIR SIZES PODS');
const { cert, key } = readKeyPair(ensureSelfSigned(dir, ['localhost', '127.0.0.1']));
const sizes = JSON.parse(sizesText) as Record<string, number>;
// Clients that open thousands of watches leave their other connections idle meanwhile.
const app = Fastify({ https: { cert, key, noDelay: true }, keepAliveTimeout: 5 * 60_000 });
for (const [name, bytes] of Object.entries(sizes)) {
  const buffer = Buffer.alloc(bytes, 'x');
  app.get(`/${name}`, (_request, reply) => reply.type('application/json').send(buffer));
}
app.post('/create', (request, reply) => reply.code(201).send(request.body));
serveWatchFloor(app, {
  configMapBytes: sizes['watch-few'] ?? 0,
  podBytes: sizes['watch-nodes'] ?? 0,
  pods: Number(pods ?? 0),
});
app.get('/readyz', () => 'ok');
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`ready at https://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
process.once('SIGTERM', () => process.exit(0));

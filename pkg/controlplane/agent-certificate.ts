import { generateKeyPairSync } from 'node:crypto';
import { createAuthority, createServingCertificate, keyAlgorithm } from '../server/tls/serving-authority.ts';
import type { AgentCertificate } from '../simulation/agent-server/agent-server.ts';

/** A certificate of its own authority for the server of simulated agents, which is kept nowhere. */
export function agentCertificate(address: string): AgentCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: keyAlgorithm.namedCurve });
  const cert = createServingCertificate(createAuthority(), [address], publicKey);
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/** What tests of the library do with its clusters. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ClientCredentials } from '../../../pkg/client/client-credentials.ts';
import { RestClient } from '../../../pkg/client/rest/rest-client.ts';
import type { ControlPlane } from '../../../pkg/library/index.ts';

/** A client as the cluster's kubeconfig says, or with other credentials. */
export function clientOf({ kubeconfig }: ControlPlane, credentials?: ClientCredentials): RestClient {
  const [{ cluster }] = kubeconfig.clusters as [(typeof kubeconfig.clusters)[number]];
  const [{ user }] = kubeconfig.users as [(typeof kubeconfig.users)[number]];
  return new RestClient({
    server: new URL(cluster.server),
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64').toString(),
    credentials: credentials ?? { token: user.token },
  });
}

/** Gives the tests of a suite a directory for temporary files that no other process uses; valid inside of them. */
export function ownTemporaryDirectory(): () => string {
  const usual = process.env['TMPDIR'];
  let own: string | undefined;
  before(() => {
    own = mkdtempSync(path.join(tmpdir(), 'library-'));
    process.env['TMPDIR'] = own;
  });
  after(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    rmSync(own!, { recursive: true });
  });
  return () => own!;
}

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareLogFile } from '../audit/log/log-file.ts';
import { apiServerOptions } from '../options/api-server-options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { ensureSelfSigned } from '../server/tls/self-signed.ts';
import { adminTokenOf } from './admin-token.ts';
import { ensureServiceAccountKey, ownServiceAccountKey } from './service-account-key.ts';

describe('files with secrets', () => {
  it("are their owner's alone, also where they had wider rights", async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-secrets-'));
    const options = parseOptions(apiServerOptions, 'up', []);
    const files = ['admin-token', 'pki/service-account.key', 'apiserver.key', 'ca.key', 'audit.log'].map((name) =>
      path.join(dir, name),
    );
    const use = async (): Promise<void> => {
      adminTokenOf(undefined, dir);
      ensureServiceAccountKey(ownServiceAccountKey(options, dir)!);
      ensureSelfSigned(dir, ['localhost']);
      prepareLogFile(path.join(dir, 'audit.log'));
    };
    try {
      await use();
      for (const file of files) chmodSync(file, 0o644);
      await use();
      for (const file of files) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ControllersConfig } from '../controllers/controllers-config.ts';
import { withOwnAuthorities } from './own-authorities.ts';

describe('authorities of controllers beside the server', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'own-authorities-'))));
  afterEach(() => rmSync(dir, { recursive: true }));
  const config = (rootCa: string, privateKey: string, authorities: [string, string][]): ControllersConfig =>
    ({
      accounts: { rootCa, privateKey, tokenCleanUpMs: 1 },
      signing: {
        durationMs: 1,
        authorities: new Map(
          authorities.map(([signer, certificate]) => [signer, () => ({ certificate, privateKey: 'k' })]),
        ),
      },
    }) as unknown as ControllersConfig;
  const write = (name: string): string => {
    const file = path.join(dir, name);
    writeFileSync(file, name);
    return file;
  };

  it('are those of the control plane where options name none', () => {
    const caFile = write('ca.crt');
    write('ca.key');
    const { accounts, signing } = withOwnAuthorities(config('', '', []), { caFile, accountKey: 'account key' });
    assert.deepEqual(accounts, { rootCa: 'ca.crt', privateKey: 'account key', tokenCleanUpMs: 1 });
    assert.deepEqual([...signing.authorities.keys()].toSorted(), [
      'kubernetes.io/kube-apiserver-client',
      'kubernetes.io/kube-apiserver-client-kubelet',
      'kubernetes.io/kubelet-serving',
      'kubernetes.io/legacy-unknown',
    ]);
    for (const authority of signing.authorities.values())
      assert.deepEqual(authority(), { certificate: 'ca.crt', privateKey: 'ca.key' });
  });

  it('sign for clients with what is believed of clients, and for others with another one', () => {
    const [caFile, clientCaFile] = [write('ca.crt'), write('client-ca.crt')];
    write('ca.key');
    write('client-ca.key');
    const { signing } = withOwnAuthorities(config('', '', []), { caFile, clientCaFile, accountKey: undefined });
    const keys = Array.from(signing.authorities, ([signer, source]) => [signer, source().privateKey]);
    assert.deepEqual(Object.fromEntries(keys), {
      'kubernetes.io/kube-apiserver-client': 'client-ca.key',
      'kubernetes.io/kube-apiserver-client-kubelet': 'client-ca.key',
      'kubernetes.io/kubelet-serving': 'ca.key',
      'kubernetes.io/legacy-unknown': 'ca.key',
    });
  });

  it('are those of options', () => {
    const caFile = write('ca.crt');
    write('ca.key');
    const given = config('other', 'key', [['kubernetes.io/legacy-unknown', 'c']]);
    assert.deepEqual(withOwnAuthorities(given, { caFile, accountKey: 'account key' }), given);
  });

  for (const name of ['ca.crt', 'given.pem']) {
    it(`sign nothing where the key of ${name} is not known`, () => {
      const { accounts, signing } = withOwnAuthorities(config('', '', []), {
        caFile: write(name),
        accountKey: undefined,
      });
      assert.deepEqual([accounts.rootCa, accounts.privateKey, signing.authorities.size], [name, '', 0]);
    });
  }
});

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { certificateBlocks } from '../apimachinery/certificate-blocks.ts';
import { getKey, setKey } from '../apimachinery/json/own-keys.ts';
import type { ConfigMap } from '../generated/types/core-v1.ts';
import type { OptionValues } from '../options/option.ts';
import type { ResourceStore } from '../registry/resource-store.ts';
import { changeOwn, createOwnIfAbsent } from '../registry/own-writes.ts';
import { PeriodicTask } from './periodic-task.ts';

/**
 * The config map by which extension servers learn whom this server believes: authorities of client certificates and of
 * proxies, and the proxies' headers. Replicas with other options add to it; authorities that have expired are taken
 * out.
 */
const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';

const bundles = ['client-ca-file', 'requestheader-client-ca-file'] as const;
const lists = [
  'requestheader-username-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
  'requestheader-allowed-names',
] as const;

/** Time between two looks at whether the authorities have changed. */
const PUBLISH_MS = 60_000;

/** Brings the config map up to date, then keeps it so. Rejects when the first time fails. */
export async function keepAuthenticationPublished(
  configMaps: ResourceStore,
  options: OptionValues,
  onError: (error: unknown, where: string) => void,
): Promise<PeriodicTask> {
  const publish = (): Promise<void> => publishAuthentication(configMaps, options, Date.now());
  await publish();
  return new PeriodicTask(PUBLISH_MS, publish, (error) => onError(error, 'authentication of extension servers'));
}

/** Brings the config map up to date; makes none where the options say nothing of this. */
export async function publishAuthentication(
  configMaps: ResourceStore,
  options: OptionValues,
  nowMs: number,
): Promise<void> {
  if (bundles.every((option) => options.string(option) === '')) return;
  await createOwnIfAbsent(configMaps, { metadata: { name: NAME, namespace: NAMESPACE }, data: {} });
  await changeOwn<ConfigMap>(configMaps, NAMESPACE, NAME, (object) => {
    object.data ??= {};
    for (const option of bundles) addBundle(object.data, option, options.string(option), nowMs);
    if (options.string('requestheader-client-ca-file') !== '')
      for (const option of lists) addList(object.data, option, options.list(option));
  });
}

function addBundle(data: Record<string, string>, key: string, file: string, nowMs: number): void {
  if (file === '') return;
  const blocks = certificateBlocks(`${getKey<string>(data, key) ?? ''}\n${readFileSync(file, 'utf8')}`);
  const valid = new Set(blocks.filter((block) => expiryMs(block) >= nowMs));
  setKey(data, key, [...valid].map((block) => `${block}\n`).join(''));
}

/** Before all times for what is no certificate. */
function expiryMs(block: string): number {
  try {
    return Date.parse(new X509Certificate(block).validTo);
  } catch {
    // Not a certificate: dropped like an expired one.
    return -Infinity;
  }
}

function addList(data: Record<string, string>, key: string, items: readonly string[]): void {
  setKey(data, key, JSON.stringify([...new Set([...itemsOf(getKey<string>(data, key)), ...items])]));
}

/** What stands there already; nothing where it is no list of texts. */
function itemsOf(text: string | undefined): readonly string[] {
  try {
    const items: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(items) ? items.filter((item) => typeof item === 'string') : [];
  } catch {
    // Edited by hand into something else: replaced by a valid list.
    return [];
  }
}

import type { KmsSettings } from '../provider-settings.ts';
import type { DataKeyObserver } from './data-key-observer.ts';
import type { KmsProvider } from './kms-provider.ts';
import { kmsV1 } from './kms-v1.ts';
import { kmsV2 } from './kms-v2.ts';

export function openKmsProvider(settings: KmsSettings, observer?: DataKeyObserver): KmsProvider {
  return settings.version === 1 ? kmsV1(settings, observer) : kmsV2(settings, observer);
}

import { resourceQuotas } from '../../../pkg/api/core/tokens.ts';
import type { ControllerHost } from './controller-suite.ts';

/** Creates a quota, counted as if nothing were used: no controller does it here. The returned function deletes it. */
export async function limitResources(
  { client }: ControllerHost,
  quota: { readonly namespace: string; readonly name: string },
  hard: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  await client.create(resourceQuotas, { metadata: quota, spec: { hard: { ...hard } }, status: {} });
  const used = Object.fromEntries(Object.keys(hard).map((resource) => [resource, '0']));
  await client.patch(resourceQuotas, quota, 'merge', { status: { hard, used } }, { subresource: 'status' });
  return () => client.delete(resourceQuotas, quota);
}

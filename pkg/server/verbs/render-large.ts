import type { WorkerPools } from '../worker-pools.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { renderJson } from '../answers/respond.ts';

/** Like `renderJson`, but large documents are converted off the main loop. */
export async function renderLarge(
  json: Uint8Array,
  accepted: Accepted,
  pools: WorkerPools,
): Promise<{ contentType: string; body: Uint8Array }> {
  if (accepted.media === 'yaml') return { contentType: 'application/yaml', body: await pools.jsonToYaml(json) };
  return renderJson(json, accepted);
}

import { startControlPlane } from 'binnacle';

async function main(): Promise<void> {
  const cluster = await startControlPlane({ nodes: 0, controllers: [], scheduler: false });
  await cluster.stop();
}

void main();

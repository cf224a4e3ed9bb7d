import assert from 'node:assert/strict';
import { kubectlVersions } from '../kubectl/kubectl.ts';
import { movingCluster } from './moving-cluster.ts';

describe('ports of simulated pods', function () {
  this.timeout(120_000);
  const cluster = movingCluster();

  for (const version of kubectlVersions)
    it(`are forwarded by kubectl ${version}`, async () => {
      const kubectl = await cluster().inNew(`ports-${version.replace('.', '-')}`, version);
      await kubectl.ok`run web --image=nginx`;
      await kubectl.ok`wait --for=condition=Ready pod/web --timeout=30s`;
      const forwarding = kubectl.start`port-forward pod/web :80 --address=127.0.0.1`;
      try {
        const port = /127\.0\.0\.1:(\d+) ->/.exec(await forwarding.until((text) => text.includes('->')))![1];
        for (let i = 0; i < 3; i++)
          assert.match(
            await (await fetch(`http://127.0.0.1:${port}`)).text(),
            /^simulated: pod ports-\S+\/web, port 80\n$/,
          );
      } finally {
        await forwarding.stop();
      }
    });
});

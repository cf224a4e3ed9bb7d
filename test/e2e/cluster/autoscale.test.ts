import assert from 'node:assert/strict';
import type { Kubectl } from '../kubectl/kubectl.ts';
import { eventually, movingCluster } from './moving-cluster.ts';

const USAGE = 'simulation.binnacle.io/cpu-usage';

describe('autoscaling in a cluster', function () {
  this.timeout(120_000);
  // The autoscaler looks once a second and shrinks at once.
  const cluster = movingCluster(
    '--horizontal-pod-autoscaler-sync-period=1s',
    '--horizontal-pod-autoscaler-downscale-delay=1s',
    '--horizontal-pod-autoscaler-initial-readiness-delay=1s',
    '--horizontal-pod-autoscaler-cpu-initialization-period=1s',
  );
  let kubectl: Kubectl;

  before(async () => {
    kubectl = await cluster().inNew('scaling');
  });

  const replicas = async (name: string): Promise<number> =>
    Number(await kubectl.ok`get deployment ${name} -o jsonpath={.status.readyReplicas}`);

  it('follows the load of a deployment up and down', async () => {
    await kubectl.ok`create deployment web --image=php`;
    await kubectl.ok`set resources deployment web --requests=cpu=200m`;
    await kubectl.ok`patch deployment web -p ${JSON.stringify({ spec: { template: { metadata: { annotations: { [USAGE]: '500m' } } } } })}`;
    await kubectl.ok`rollout status deployment/web --timeout=60s`;
    await kubectl.ok`autoscale deployment web --cpu=50% --min=1 --max=4`;
    await eventually(async () => (await replicas('web')) === 4, 'as many pods as are allowed');
    await eventually(
      async () => /web +Deployment\/web +cpu: 250%\/50% +1 +4 +4 /.test(await kubectl.ok`get hpa web`),
      'a status with the load',
    );
    const shown = await kubectl.ok`describe hpa web`;
    for (const part of [
      /resource cpu on pods +\(as a percentage of request\): +250% \(500m\) \/ 50%/,
      /AbleToScale +True +/,
      /ScalingActive +True +ValidMetricFound +the HPA was able to successfully calculate a replica count from cpu resource utilization/,
      /ScalingLimited +True +TooManyReplicas +the desired replica count is more than the maximum replica count/,
      /Normal +SuccessfulRescale +.*New size: 4; reason: cpu resource utilization \(percentage of request\) above target/,
    ])
      assert.match(shown, part);

    for (const name of (await kubectl.ok`get pods --selector=app=web -o name`).trim().split('\n'))
      await kubectl.ok`annotate --overwrite ${name} ${USAGE}=50m`;
    await eventually(async () => (await replicas('web')) === 2, 'half as many pods for a quarter of the load', 60_000);
    assert.match(
      await kubectl.ok`describe hpa web`,
      /SuccessfulRescale +.*New size: 2; reason: All metrics below target/,
    );
  });

  it('leaves a deployment alone that requests nothing', async () => {
    await kubectl.ok`create deployment plain --image=app --replicas=2`;
    await kubectl.ok`rollout status deployment/plain --timeout=60s`;
    await kubectl.ok`autoscale deployment plain --cpu=50% --max=4`;
    await eventually(
      async () => (await kubectl.ok`describe hpa plain`).includes('FailedGetResourceMetric'),
      'an event of a metric that cannot be computed',
    );
    assert.match(
      await kubectl.ok`describe hpa plain`,
      /ScalingActive +False +FailedGetResourceMetric +.*missing request for cpu/,
    );
    assert.equal(await replicas('plain'), 2);
  });
});

import assert from 'node:assert/strict';
import { eachKubectl } from './each-version.ts';
import { configMap, deployment, documents, pod } from './manifests.ts';

eachKubectl('wait', (bench) => {
  before(async () => {
    await bench().kubectl.input(
      documents(deployment('web'), pod('one', { app: 'x' }), pod('two', { app: 'x' }), configMap('gone')),
    ).ok`create -f -`;
  });

  const status = async (path: string, body: object): Promise<void> => {
    const answer = await bench().api.patch(`${path}/status`, 'merge', { status: body });
    assert.equal(answer.status, 200, answer.body.toString());
  };

  it('waits for a condition', async () => {
    const { kubectl } = bench();
    const waiting = kubectl.start`wait deployment/web --for=condition=Available --timeout=30s`;
    try {
      await status('/apis/apps/v1/namespaces/wait/deployments/web', {
        conditions: [{ type: 'Available', status: 'False' }],
      });
      await status('/apis/apps/v1/namespaces/wait/deployments/web', {
        observedGeneration: 1,
        conditions: [{ type: 'Available', status: 'True' }],
      });
      assert.equal(await waiting.end(), 0, waiting.stderr);
      assert.equal(waiting.stdout, 'deployment.apps/web condition met\n');
    } finally {
      await waiting.stop();
    }
    assert.equal(
      await kubectl.ok`wait deployment/web --for=condition=available`,
      'deployment.apps/web condition met\n',
    );
    assert.equal(
      await kubectl.fails`wait deployment/web --for=condition=Progressing --timeout=1s`,
      'error: timed out waiting for the condition on deployments/web\n',
    );
  });

  it('waits for a value', async () => {
    const { kubectl } = bench();
    const waiting = kubectl.start`wait pods -l app=x --for=jsonpath=${'{.status.phase}=Running'} --timeout=30s`;
    try {
      await status('/api/v1/namespaces/wait/pods/one', { phase: 'Running' });
      await status('/api/v1/namespaces/wait/pods/two', { phase: 'Running' });
      assert.equal(await waiting.end(), 0, waiting.stderr);
      assert.equal(waiting.stdout, 'pod/one condition met\npod/two condition met\n');
    } finally {
      await waiting.stop();
    }
  });

  it('waits for the end', async () => {
    const { kubectl } = bench();
    const waiting = kubectl.start`wait configmap/gone --for=delete --timeout=30s`;
    try {
      await kubectl.ok`delete configmap gone`;
      assert.equal(await waiting.end(), 0, waiting.stderr);
    } finally {
      await waiting.stop();
    }
    assert.equal(
      await kubectl.fails`wait pod/one --for=delete --timeout=1s`,
      'error: timed out waiting for the condition on pods/one\n',
    );
  });

  it('waits for what is not there yet, where it can', async function () {
    const { kubectl } = bench();
    if (kubectl.minor < 31) {
      assert.match(
        await kubectl.fails`wait configmap/late --for=condition=Ready --timeout=1s`,
        /configmaps "late" not found/,
      );
      return;
    }
    const waiting = kubectl.start`wait configmap/late --for=create --timeout=30s`;
    try {
      await kubectl.ok`create configmap late`;
      assert.equal(await waiting.end(), 0, waiting.stderr);
      assert.equal(waiting.stdout, 'configmap/late condition met\n');
    } finally {
      await waiting.stop();
    }
  });
});

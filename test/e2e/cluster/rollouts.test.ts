import assert from 'node:assert/strict';
import type { Kubectl } from '../kubectl/kubectl.ts';
import { podTemplate } from '../kubectl/manifests.ts';
import { lines, rows } from '../kubectl/printed.ts';
import { eventually, movingCluster } from './moving-cluster.ts';

/** Shown of a revision without an annotation. */
const NO_CAUSE = '<none>';
const template = (annotations: Readonly<Record<string, string>>): object => ({
  spec: { template: { metadata: { annotations } } },
});

describe('rollouts in a cluster', function () {
  this.timeout(120_000);
  const cluster = movingCluster();

  /** Images of the pods that are not about to go. */
  async function images(kubectl: Kubectl, app: string): Promise<string[]> {
    const { items } = await kubectl.json`get pods --selector=${`app=${app}`}`;
    return items
      .filter(({ metadata }: any) => metadata.deletionTimestamp === undefined)
      .map(({ spec }: any) => spec.containers[0].image);
  }

  for (const version of ['1.24', '1.35'] as const)
    describe(`kubectl ${version}`, () => {
      let kubectl: Kubectl;
      before(async () => {
        kubectl = await cluster().inNew(`rollouts-${version.replace('.', '-')}`, version);
      });

      /** Of what runs three pods with the image `NAME:1` in a container `web`, and has had no other. */
      async function rollsForwardAndBack(what: string, first = NO_CAUSE, second = NO_CAUSE): Promise<void> {
        const [, app] = what.split('/') as [string, string];
        const resource = what.replace('/', '.apps/');
        const history = async (): Promise<string[]> => lines(await kubectl.ok`rollout history ${what}`);
        const explain = async (cause: string): Promise<void> => {
          if (cause === NO_CAUSE) return;
          await kubectl.ok`annotate ${what} kubernetes.io/change-cause=${cause} --overwrite`;
        };
        await explain(first);
        await kubectl.ok`set image ${what} web=${app}:2`;
        await explain(second);
        assert.match(await kubectl.ok`rollout status ${what}`, /successfully rolled out\n$/);
        assert.deepEqual(await images(kubectl, app), [`${app}:2`, `${app}:2`, `${app}:2`]);
        assert.deepEqual(await history(), [
          resource,
          'REVISION  CHANGE-CAUSE',
          `1         ${first}`,
          `2         ${second}`,
        ]);
        assert.equal(await kubectl.ok`rollout undo ${what}`, `${resource} rolled back\n`);
        await kubectl.ok`rollout status ${what}`;
        assert.deepEqual(await images(kubectl, app), [`${app}:1`, `${app}:1`, `${app}:1`]);
        assert.deepEqual((await history()).slice(2), [`2         ${second}`, `3         ${first}`]);
      }

      it('rolls a deployment forward and back', async () => {
        await kubectl.ok`create deployment web --image=web:1 --replicas=3`;
        assert.match(await kubectl.ok`rollout status deployment/web`, /deployment "web" successfully rolled out\n$/);
        assert.deepEqual(rows(await kubectl.ok`get deployment web`)[1], ['web', '3/3', '3', '3', 'AGE']);
        await rollsForwardAndBack('deployment/web', 'first', 'second');
        await kubectl.ok`rollout undo deployment/web --to-revision=2`;
        await kubectl.ok`rollout status deployment/web`;
        assert.deepEqual(await images(kubectl, 'web'), ['web:2', 'web:2', 'web:2']);
        assert.match(
          await kubectl.ok`rollout history deployment/web --revision=4`,
          /with revision #4[\s\S]*change-cause: second[\s\S]*Image:\s+web:2/,
        );
        assert.deepEqual(
          (await kubectl.json`get replicasets`).items.map(({ spec }: any) => spec.replicas).sort(),
          [0, 3],
        );
      });

      it('holds a paused deployment and goes on with a resumed one', async () => {
        await kubectl.ok`rollout pause deployment/web`;
        await kubectl.ok`set image deployment/web web=web:3`;
        await kubectl.ok`scale deployment web --replicas=4`;
        await eventually(async () => (await images(kubectl, 'web')).length === 4, 'a paused deployment that scales');
        assert.deepEqual(new Set(await images(kubectl, 'web')), new Set(['web:2']));
        assert.equal((await kubectl.json`get replicasets`).items.length, 2);
        assert.match(
          await kubectl.ok`get deployment web ${'-o=jsonpath={.status.conditions[?(@.type=="Progressing")].reason}'}`,
          /^DeploymentPaused$/,
        );
        await kubectl.ok`rollout resume deployment/web`;
        await kubectl.ok`rollout status deployment/web`;
        assert.deepEqual(await images(kubectl, 'web'), ['web:3', 'web:3', 'web:3', 'web:3']);
      });

      it('replaces the pods of what is restarted', async () => {
        const names = async (): Promise<string[]> =>
          (await kubectl.json`get pods --selector=app=web`).items.map(({ metadata }: any) => metadata.name);
        const before = new Set(await names());
        await kubectl.ok`rollout restart deployment/web`;
        await kubectl.ok`rollout status deployment/web`;
        const after = await names();
        assert.equal(after.length, 4);
        assert.deepEqual(
          after.filter((name) => before.has(name)),
          [],
        );
      });

      it('reports a rollout that makes no progress, and goes back from it', async () => {
        await kubectl.ok`create deployment stuck --image=app:1 --replicas=2`;
        await kubectl.ok`rollout status deployment/stuck`;
        await kubectl.ok`patch deployment stuck -p ${JSON.stringify({ spec: { progressDeadlineSeconds: 1 } })}`;
        await kubectl.ok`patch deployment stuck -p ${JSON.stringify(template({ 'simulation.binnacle.io/never-ready': 'true' }))}`;
        assert.match(
          await kubectl.fails`rollout status deployment/stuck`,
          /error: deployment "stuck" exceeded its progress deadline/,
        );
        assert.deepEqual(rows(await kubectl.ok`get deployment stuck`)[1], ['stuck', '2/2', '1', '2', 'AGE']);
        // Times of conditions are whole seconds: within a deadline of one the way back may be too long.
        await kubectl.ok`patch deployment stuck -p ${JSON.stringify({ spec: { progressDeadlineSeconds: 600 } })}`;
        await kubectl.ok`rollout undo deployment/stuck`;
        assert.match(await kubectl.ok`rollout status deployment/stuck`, /successfully rolled out\n$/);
      });

      it('rolls a daemon set forward and back, pod by pod', async () => {
        await kubectl.input({
          apiVersion: 'apps/v1',
          kind: 'DaemonSet',
          metadata: { name: 'agent' },
          spec: { selector: { matchLabels: { app: 'agent' } }, template: podTemplate('agent', 'agent:1') },
        }).ok`create -f -`;
        assert.match(await kubectl.ok`rollout status daemonset/agent`, /daemon set "agent" successfully rolled out\n$/);
        await rollsForwardAndBack('daemonset/agent');
        await kubectl.ok`rollout restart daemonset/agent`;
        await kubectl.ok`rollout status daemonset/agent`;
        assert.deepEqual(rows(await kubectl.ok`get daemonset agent`)[1], [
          'agent',
          '3',
          '3',
          '3',
          '3',
          '3',
          '<none>',
          'AGE',
        ]);
      });

      it('rolls a stateful set forward and back, from its last pod to its first', async () => {
        const spec = {
          serviceName: 'db',
          replicas: 3,
          selector: { matchLabels: { app: 'db' } },
          template: podTemplate('db', 'db:1'),
        };
        await kubectl.input({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' }, spec })
          .ok`create -f -`;
        assert.match(
          await kubectl.ok`rollout status statefulset/db`,
          /partitioned roll out complete: 3 new pods have been updated/,
        );
        const watch = kubectl.start`get pods --selector=app=db --watch-only --no-headers -o=custom-columns=N:.metadata.name,I:.spec.containers[0].image,P:.status.phase`;
        try {
          await kubectl.ok`set image statefulset/db web=db:2`;
          assert.match(
            await kubectl.ok`rollout status statefulset/db`,
            /partitioned roll out complete: 3 new pods have been updated/,
          );
          const ran = (await watch.until((text) => /db-0 +db:2 +Running/.test(text)))
            .split('\n')
            .flatMap((line) => /^(db-\d) +db:2 +Running/.exec(line)?.[1] ?? []);
          assert.deepEqual([...new Set(ran)], ['db-2', 'db-1', 'db-0']);
        } finally {
          await watch.stop();
        }
        await kubectl.ok`rollout undo statefulset/db`;
        await kubectl.ok`rollout status statefulset/db`;
        assert.deepEqual(await images(kubectl, 'db'), ['db:1', 'db:1', 'db:1']);
        assert.deepEqual(lines(await kubectl.ok`rollout history statefulset/db`).slice(2), [
          '2         <none>',
          '3         <none>',
        ]);

        await kubectl.ok`patch statefulset db -p ${JSON.stringify({ spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } })}`;
        await kubectl.ok`rollout restart statefulset/db`;
        assert.match(
          await kubectl.ok`rollout status statefulset/db`,
          /partitioned roll out complete: 1 new pods have been updated/,
        );
        await kubectl.ok`scale statefulset db --replicas=1`;
        await kubectl.ok`wait --for=delete pod/db-1 pod/db-2 --timeout=30s`;
        assert.deepEqual(rows(await kubectl.ok`get statefulset db`)[1], ['db', '1/1', 'AGE']);
      });
    });
});

/** helm, as users run it: what it installs becomes ready, and it waits until it is. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { runProgram, toolPath, type Finished } from '../../fixtures/run-program.ts';
import type { Kubectl } from '../kubectl/kubectl.ts';
import { lines, rows } from '../kubectl/printed.ts';
import { eventually, movingCluster } from './moving-cluster.ts';

const chart = resolve(import.meta.dirname, '../charts/shop');
const RELEASE = 'shop';

describe('helm in a cluster', function () {
  this.timeout(120_000);
  const cluster = movingCluster();

  // Without the option helm 4 asks for server-side apply, which is not served yet.
  for (const [version, onFailure, plain] of [
    ['3.17', ['--atomic'], []],
    ['4.1', ['--rollback-on-failure', '--wait'], ['--server-side=false']],
  ] as const)
    describe(`helm ${version}`, () => {
      let kubectl: Kubectl;
      const namespace = `helm-${version.replace('.', '-')}`;
      before(async () => {
        kubectl = await cluster().inNew(namespace);
      });

      function run(...args: readonly string[]): Promise<Finished> {
        const { server, home } = cluster();
        const env = {
          KUBECONFIG: server.kubeconfig,
          HELM_CACHE_HOME: `${home}/cache`,
          HELM_CONFIG_HOME: `${home}/config`,
          HELM_DATA_HOME: `${home}/data`,
        };
        return runProgram(toolPath(`helm-${version}`), [...args, '--namespace', namespace], {
          env,
          timeoutMs: 100_000,
        });
      }

      async function helm(...args: readonly string[]): Promise<string> {
        const { status, stdout, stderr } = await run(...args);
        assert.equal(status, 0, `helm ${args.join(' ')}: ${stdout}${stderr}`);
        return stdout;
      }

      const history = async (): Promise<unknown[]> =>
        JSON.parse(await helm('history', RELEASE, '--output', 'json')).map((item: any) => [item.revision, item.status]);
      const images = async (app: string): Promise<string[]> =>
        (
          await kubectl.ok`get pods --selector=${`app=${RELEASE}-${app}`} -o jsonpath={.items[*].spec.containers[0].image}`
        )
          .split(' ')
          .map((image) => image.replace(/.*:/, ''));
      const assertImages = async (tag: string): Promise<void> => {
        for (const app of ['web', 'db']) assert.deepEqual(await images(app), [tag, tag], app);
      };
      const upgrade = (set: string, ...more: readonly string[]): string[] => [
        'upgrade',
        RELEASE,
        chart,
        ...plain,
        ...more,
        '--set',
        set,
      ];

      it('installs and waits until all is ready', async () => {
        const output = await helm('install', RELEASE, chart, ...plain, '--wait', '--wait-for-jobs', '--timeout', '90s');
        assert.match(output, /STATUS: deployed/);
        assert.deepEqual(rows(await kubectl.ok`get deployment ${RELEASE}-web`)[1]?.slice(1, 4), ['2/2', '2', '2']);
        assert.deepEqual(rows(await kubectl.ok`get statefulset ${RELEASE}-db`)[1]?.slice(1, 2), ['2/2']);
        assert.deepEqual(
          rows(await kubectl.ok`get pvc`)
            .slice(1)
            .map(([name, status]) => `${name} ${status}`),
          ['data-shop-db-0 Bound', 'data-shop-db-1 Bound', 'shop-uploads Bound'],
        );
        assert.match(await kubectl.ok`get job ${RELEASE}-seed`, /Complete +1\/1/);
        assert.match(await kubectl.ok`get poddisruptionbudget`, / N\/A +1 +1 /);
        const [before, after] = await Promise.all([
          kubectl.ok`get job ${RELEASE}-before -o jsonpath={.status.completionTime}`,
          kubectl.ok`get deployment ${RELEASE}-web -o jsonpath={.metadata.creationTimestamp}`,
        ]);
        assert.ok(before !== '' && before <= after, `${before} ${after}`);
      });

      it('runs the tests of the chart', async () => {
        const output = await helm('test', RELEASE, '--logs', '--timeout', '60s');
        assert.match(output, /TEST SUITE: +shop-test[\s\S]*Phase: +Succeeded[\s\S]*the shop is open/);
      });

      it('upgrades and waits for the rollout', async () => {
        await helm(...upgrade('image.tag=2.0', '--wait', '--timeout', '90s'));
        await assertImages('2.0');
        assert.match(await kubectl.ok`get job ${RELEASE}-after`, /Complete +1\/1/);
      });

      it('goes back from an upgrade that does not become ready', async () => {
        const { status, stderr } = await run(...upgrade('broken=true,image.tag=3.0', ...onFailure, '--timeout', '5s'));
        assert.equal(status, 1);
        assert.match(stderr, /has been rolled back due to (atomic|rollback-on-failure) being set/);
        assert.deepEqual(await history(), [
          [1, 'superseded'],
          [2, 'superseded'],
          [3, 'failed'],
          [4, 'deployed'],
        ]);
        await kubectl.ok`rollout status deployment/${RELEASE}-web --timeout=60s`;
        await kubectl.ok`rollout status statefulset/${RELEASE}-db --timeout=60s`;
        await assertImages('2.0');
      });

      it('stops an upgrade whose hook fails before anything has changed', async () => {
        const { status, stderr } = await run(...upgrade('brokenHook=true,image.tag=5.0', '--timeout', '30s'));
        assert.equal(status, 1);
        assert.match(
          stderr,
          /pre-upgrade hooks failed: [\s\S]*shop-before (failed: BackoffLimitExceeded|not ready\. status: Failed)/,
        );
        assert.deepEqual(await images('web'), ['2.0', '2.0']);
      });

      it('rolls back to the first revision', async () => {
        await helm('rollback', RELEASE, '1', ...plain, '--wait', '--timeout', '90s');
        await assertImages('1.0');
        assert.deepEqual((await history()).at(-1), [6, 'deployed']);
      });

      it('uninstalls and waits until all is gone', async () => {
        await helm('uninstall', RELEASE, '--wait', '--timeout', '90s');
        await eventually(
          async () =>
            lines(await kubectl.ok`get all,ingresses,poddisruptionbudgets,roles -o name`).every((name) =>
              /shop-(before|after|test)/.test(name),
            ),
          'nothing is left but what hooks made',
        );
        assert.deepEqual(lines(await kubectl.ok`get pvc -o name`), [
          'persistentvolumeclaim/data-shop-db-0',
          'persistentvolumeclaim/data-shop-db-1',
        ]);
        await kubectl.ok`delete pvc --all`;
        await eventually(
          async () =>
            !(await kubectl.ok`get pv --no-headers -o name`).includes(namespace) &&
            (await kubectl.ok`get pvc -o name`) === '',
          'no volume of a claim that is gone',
        );
      });
    });
});

import assert from 'node:assert/strict';
import { cronTabs, IMAGE, SCHEDULE } from '../../../test/fixtures/cron-tabs.ts';
import { Scheme } from '../../api/scheme.ts';
import { type ServedResource, servedResources } from '../documents/served-resources.ts';
import { sampleResources } from '../documents/testing.ts';
import { V2Document } from './v2-document.ts';
import { buildV2Parts, type V2Build } from './v2-parts.ts';

const info = { title: 'Kubernetes', version: 'v1.0.0' };
const first = servedResources(new Scheme([cronTabs([SCHEDULE])]));
const second = servedResources(new Scheme([cronTabs([SCHEDULE, IMAGE])]));
const GROUP = 'stable.example.com';

for (const format of ['json', 'protobuf'] as const) {
  describe(`the document of OpenAPI v2 (${format})`, () => {
    let builds: V2Build[];
    let failing: boolean;
    const open = (): V2Document =>
      new V2Document({
        info,
        format,
        build: async (build) => {
          builds.push(structuredClone(build));
          if (failing) throw new Error('worker died');
          return structuredClone(await buildV2Parts(build));
        },
      });
    /** As bytes of a document that is built at once. */
    const whole = async (resources: readonly ServedResource[]): Promise<string> =>
      Buffer.from(await new V2Document({ info, format, build: buildV2Parts }).bytes(() => resources)).toString(
        'latin1',
      );
    const text = async (document: V2Document, resources: readonly ServedResource[]): Promise<string> =>
      Buffer.from(await document.bytes(() => resources)).toString('latin1');
    beforeEach(() => {
      builds = [];
      failing = false;
    });

    it('builds the group alone in which something changed, to the same bytes as the whole', async () => {
      const document = open();
      for (const resources of [sampleResources, [...sampleResources, ...first], [...sampleResources, ...second]]) {
        assert.ok((await text(document, resources)) === (await whole(resources)));
        document.change([GROUP]);
      }
      assert.ok((await text(document, sampleResources)) === (await whole(sampleResources)));
      assert.deepEqual(builds.map(({ groups }) => groups).slice(1), [[GROUP], [GROUP], [GROUP]]);
      assert.deepEqual(
        [...builds[0]!.groups].sort(),
        [...new Set(['', ...sampleResources.map(({ group }) => group)])].sort(),
      );
    });

    it('drops what only a removed group used, and keeps what others share', async () => {
      const document = open();
      const others = sampleResources.filter(({ group }) => group !== 'apps');
      await document.bytes(() => sampleResources);
      document.change(['apps']);
      const bytes = await text(document, others);
      assert.ok(!bytes.includes('io.k8s.api.apps.v1.DeploymentSpec'));
      assert.ok(bytes.includes('io.k8s.api.core.v1.PodTemplateSpec'));
    });

    it('is not built again where nothing has changed', async () => {
      const document = open();
      const bytes = await text(document, sampleResources);
      assert.ok((await text(document, sampleResources)) === bytes);
      assert.equal(builds.length, 1);
    });

    it('is built after a failure with all that has changed since', async () => {
      const document = open();
      failing = true;
      await assert.rejects(
        document.bytes(() => sampleResources),
        /worker died/,
      );
      failing = false;
      await document.bytes(() => sampleResources);
      document.change(['apps']);
      failing = true;
      await assert.rejects(
        document.bytes(() => sampleResources),
        /worker died/,
      );
      failing = false;
      document.change([GROUP]);
      assert.ok(
        (await text(document, [...sampleResources, ...first])) === (await whole([...sampleResources, ...first])),
      );
      assert.deepEqual(builds.at(-1)!.groups.toSorted(), ['apps', GROUP]);
      assert.equal(builds[0]!.groups.length, builds[1]!.groups.length);
    });

    it('has what changes while it is built in the next one', async () => {
      const document = open();
      await document.bytes(() => sampleResources);
      document.change([GROUP]);
      const building = document.bytes(() => [...sampleResources, ...first]);
      await Promise.resolve();
      document.change([GROUP]);
      const next = await text(document, [...sampleResources, ...second]);
      assert.ok(Buffer.from(await building).toString('latin1') === (await whole([...sampleResources, ...first])));
      assert.ok(next === (await whole([...sampleResources, ...second])));
    });
  });
}

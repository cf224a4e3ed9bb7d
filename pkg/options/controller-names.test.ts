import assert from 'node:assert/strict';
import { controllerNames, controllerSelection, selectedControllers } from './controller-names.ts';

const selected = (...items: string[]): string[] => selectedControllers(items).map(({ alias }) => alias);

describe('--controllers', () => {
  it('turns on with * what is on by default', () => {
    const names = selected('*');
    assert.equal(names.length, controllerNames.length - 2);
    assert.deepEqual([names.includes('bootstrapsigner'), names.includes('tokencleaner')], [false, false]);
  });

  it('adds and takes away by either name', () => {
    assert.deepEqual(selected('job', 'deployment-controller'), ['deployment', 'job']);
    assert.equal(selected('*', '-job', '-deployment-controller').length, controllerNames.length - 4);
    assert.ok(selected('*', 'tokencleaner').includes('tokencleaner'));
    assert.deepEqual(selected('-job'), []);
  });

  it('goes by the first item that names a controller', () => {
    assert.deepEqual(selected('job', '-job'), ['job']);
    assert.deepEqual(selected('-job-controller', 'job', 'ttl'), ['ttl']);
  });

  it('rejects what is the name of no controller', () => {
    assert.equal(controllerSelection('-cloud-node-lifecycle'), undefined);
    for (const item of ['jobs', '-', '--job', '**'])
      assert.equal(controllerSelection(item), 'must be *, the name of a controller, or - and such a name', item);
  });
});

import assert from 'node:assert/strict';
import { imageTag } from './image-reference.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

describe('image references', () => {
  const cases: [string, string][] = [
    ['app', 'latest'],
    ['app:1', '1'],
    ['app:latest', 'latest'],
    ['registry.example/app', 'latest'],
    ['registry.example:5000/team/app:v1.2_3', 'v1.2_3'],
    ['localhost/app', 'latest'],
    [`app@${DIGEST}`, ''],
    [`app:2@${DIGEST}`, '2'],
    ['a__b/c-d.e', 'latest'],
    ['', ''],
    [' ', ''],
    ['Upper', ''],
    ['app:', ''],
    ['app:bad tag', ''],
    ['a//b', ''],
    ['0'.repeat(64).replaceAll('0', 'a'), ''],
    ['bad_host.example!/app', ''],
    ['a'.repeat(300), ''],
  ];
  for (const [image, tag] of cases)
    it(`finds ${JSON.stringify(tag)} in ${image.slice(0, 60)}`, () => assert.equal(imageTag(image), tag));

  it('answers quickly for hostile texts', () => {
    const started = performance.now();
    assert.equal(imageTag(`${'a'.repeat(4000)}!`), '');
    assert.equal(imageTag(`${'a-'.repeat(2000)}!`), '');
    assert.equal(imageTag('a'.repeat(3_000_000)), '');
    assert.ok(performance.now() - started < 200);
  });
});

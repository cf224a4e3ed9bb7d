import assert from 'node:assert/strict';
import { job } from '../../api/batch/job/job.ts';
import { configMap } from '../../api/core/config-map/config-map.ts';
import { certificateSigningRequest } from '../../api/certificates/certificate-signing-request/certificate-signing-request.ts';
import { pod } from '../../api/core/pod/pod.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import { parseSelection } from './selectors.ts';

/** As much of a cached object as selections look at. */
function object(name: string, labels: Record<string, string> = {}, fields: Record<string, string> = {}): CachedObject {
  const all: Record<string, string> = { 'metadata.name': name, ...fields };
  return { name, labels: () => labels, field: (label: string) => all[label] ?? '' } as unknown as CachedObject;
}

const badRequest =
  (message: string | RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof StatusError && error.code === 400, String(error));
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  };

describe('parseSelection', () => {
  it('selects everything without selectors, at no cost', () =>
    assert.deepEqual(parseSelection(pod, '', '', ''), {
      matches: undefined,
      text: '',
      name: undefined,
      exact: [],
      bytes: 0,
    }));

  it('says which single values it demands, fields first', () => {
    const exact = (labels: string, fields: string, name = '') =>
      parseSelection(pod, labels, fields, name).exact.map((r) => `${r.of} ${r.name}=${r.value}`);
    assert.deepEqual(exact('', 'spec.nodeName=n1,status.phase!=Failed'), ['field spec.nodeName=n1']);
    assert.deepEqual(exact('b==2,a in (1),c in (1,2),d,!e,f!=3', 'metadata.name=x'), [
      'field metadata.name=x',
      'label a=1',
      'label b=2',
    ]);
    assert.deepEqual(exact('a=', '', 'y'), ['field metadata.name=y', 'label a=']);
    assert.deepEqual(exact('a,!b,c notin (d)', 'status.phase!=Failed'), []);
  });

  it('selects by labels', () => {
    const { matches } = parseSelection(pod, 'app in (a,b),tier!=db', '', '');
    assert.equal(matches!(object('x', { app: 'a' })), true);
    assert.equal(matches!(object('x', { app: 'b', tier: 'db' })), false);
    assert.equal(matches!(object('x')), false);
  });

  it('selects by fields', () => {
    const { matches, name } = parseSelection(pod, '', 'status.phase=Running,spec.nodeName!=n1', '');
    assert.equal(name, undefined);
    assert.equal(matches!(object('x', {}, { 'status.phase': 'Running' })), true);
    assert.equal(matches!(object('x', {}, { 'status.phase': 'Running', 'spec.nodeName': 'n1' })), false);
  });

  it('joins labels, fields and the name of a path', () => {
    const { matches } = parseSelection(pod, 'a=b', 'status.phase=Running', 'x');
    assert.equal(matches!(object('x', { a: 'b' }, { 'status.phase': 'Running' })), true);
    for (const other of [
      object('y', { a: 'b' }, { 'status.phase': 'Running' }),
      object('x', {}, { 'status.phase': 'Running' }),
      object('x', { a: 'b' }),
    ])
      assert.equal(matches!(other), false);
  });

  it('tells the one name that can match', () => {
    assert.equal(parseSelection(pod, '', 'metadata.name=x', '').name, 'x');
    assert.equal(parseSelection(pod, '', 'metadata.name!=x', '').name, undefined);
    assert.equal(parseSelection(pod, '', '', 'x').name, 'x');
    const both = parseSelection(pod, '', 'metadata.name=y', 'x');
    assert.equal(both.matches!(object('x')) || both.matches!(object('y')), false);
  });

  it('has equal text for equal selections alone', () => {
    const text = (labels: string, fields: string, name = '') => parseSelection(pod, labels, fields, name).text;
    assert.equal(text('b=1,a=1', ''), text('a=1,b=1', ''));
    assert.equal(text('', 'status.phase=Running,metadata.name=x'), text('', 'metadata.name=x,status.phase==Running'));
    const different = [
      text('a=1', ''),
      text('', 'metadata.name=a'),
      text('', '', 'a'),
      text('a=1', '', 'a'),
      text('a!=1', ''),
      text('a', ''),
    ];
    assert.equal(new Set(different).size, different.length);
  });

  it('refuses fields that the kind does not select by', () => {
    assert.throws(
      () => parseSelection(configMap, '', 'data.x=y', ''),
      badRequest('"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    );
    assert.throws(
      () => parseSelection(pod, '', 'spec.hostname=y', ''),
      badRequest('field label not supported: spec.hostname'),
    );
    assert.throws(() => parseSelection(pod, '', '__proto__=y', ''), badRequest('field label not supported: __proto__'));
    assert.throws(
      () => parseSelection(certificateSigningRequest, '', 'spec.username=y', ''),
      badRequest('field label not supported: spec.username'),
    );
    assert.throws(
      () => parseSelection(job, '', 'spec.x=y', ''),
      badRequest('field label "spec.x" not supported for batchv1.Job'),
    );
    assert.throws(() => parseSelection(pod, '', 'constructor=y', ''), badRequest(/not supported/));
  });

  it('bounds requirements', () => {
    const labels = (count: number) => Array.from({ length: count }, (_, i) => `k${i}!=v`).join(',');
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `metadata.name!=n${i}`).join(',');
    parseSelection(pod, labels(256), fields(256), '');
    const tooMany = badRequest('selector has more than 256 requirements');
    assert.throws(() => parseSelection(pod, labels(257), '', ''), tooMany);
    assert.throws(() => parseSelection(pod, '', fields(257), ''), tooMany);
    // Values of one requirement are looked up, not gone through.
    parseSelection(pod, `a in (${Array.from({ length: 5000 }, (_, i) => `v${i}`).join(',')})`, '', '');
  });

  it('compiles equal text once, for each resource separately', () => {
    assert.equal(parseSelection(pod, 'shared=yes', '', ''), parseSelection(pod, 'shared=yes', '', ''));
    assert.equal(
      parseSelection(pod, 'shared=yes', '', 'x').matches === parseSelection(pod, 'shared=yes', '', '').matches,
      false,
    );
    assert.throws(() => parseSelection(configMap, '', 'status.phase=Running', ''), badRequest(/not a known field/));
    parseSelection(pod, '', 'status.phase=Running', '');
    assert.throws(() => parseSelection(configMap, '', 'status.phase=Running', ''), badRequest(/not a known field/));
  });

  it('refuses what is no selector', () => {
    for (const labels of ['a in', '=', 'a=b=c', 'a in (b', '-x=y'])
      assert.throws(() => parseSelection(pod, labels, '', ''), badRequest(/./), labels);
    assert.throws(
      () => parseSelection(pod, '', 'nonsense', ''),
      badRequest("invalid selector: 'nonsense'; can't understand 'nonsense'"),
    );
  });
});

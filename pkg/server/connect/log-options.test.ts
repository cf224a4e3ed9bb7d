import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { agentLogQuery, checkLogOptions, podLogOptions } from './log-options.ts';

describe('options of logs', () => {
  const read = (text: string) => podLogOptions(new URLSearchParams(text));
  const refusal = (run: () => void): unknown[] => {
    let refused: unknown;
    assert.throws(run, (error) => {
      refused = error;
      return error instanceof StatusError;
    });
    const { code, reason, message } = (refused as StatusError).status;
    return [code, reason, message];
  };
  const problem = (text: string): unknown[] => refusal(() => checkLogOptions(read(text), 'web'));

  it('are passed to the agent unchanged, except those of the server', () => {
    const query = (text: string): string => agentLogQuery(read(text));
    assert.equal(query(''), '');
    assert.equal(query('container=c&insecureSkipTLSVerifyBackend=true&pretty=true'), '');
    assert.equal(
      query('timestamps=1&follow&tailLines=0&previous=true&sinceSeconds=60&limitBytes=1'),
      '?follow=true&limitBytes=1&previous=true&sinceSeconds=60&tailLines=0&timestamps=true',
    );
    assert.equal(query('follow=false&previous=0&timestamps=False'), '');
    for (const empty of ['', 'null']) assert.equal(query(`sinceTime=${empty}`), '?sinceTime=0001-01-01T00%3A00%3A00Z');
    assert.equal(query('sinceTime=2026-01-02T03%3A04%3A05%2B01%3A00'), '?sinceTime=2026-01-02T02%3A04%3A05Z');
    assert.equal(query('tailLines=1&tailLines=2'), '?tailLines=1');
  });

  it('must be of their types', () => {
    for (const name of ['tailLines', 'limitBytes', 'sinceSeconds'])
      assert.deepEqual(
        refusal(() => read(`${name}=x`)),
        [400, 'BadRequest', 'strconv.ParseInt: parsing "x": invalid syntax'],
      );
    assert.deepEqual(
      refusal(() => read('tailLines=')),
      [400, 'BadRequest', 'strconv.ParseInt: parsing "": invalid syntax'],
    );
    assert.deepEqual(
      refusal(() => read('tailLines=99999999999999999999')),
      [400, 'BadRequest', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    );
    assert.deepEqual(refusal(() => read('sinceTime=yesterday')).slice(0, 2), [400, 'BadRequest']);
  });

  it('must make sense', () => {
    const invalid = 'PodLogOptions "web" is invalid: ';
    assert.deepEqual(problem('tailLines=-1'), [
      422,
      'Invalid',
      `${invalid}tailLines: Invalid value: -1: must be greater than or equal to 0`,
    ]);
    assert.deepEqual(problem('limitBytes=0'), [
      422,
      'Invalid',
      `${invalid}limitBytes: Invalid value: 0: must be greater than 0`,
    ]);
    assert.deepEqual(problem('sinceSeconds=0'), [
      422,
      'Invalid',
      `${invalid}sinceSeconds: Invalid value: 0: must be greater than 0`,
    ]);
    assert.deepEqual(problem('sinceSeconds=0&sinceTime=2026-01-02T03:04:05Z'), [
      422,
      'Invalid',
      `${invalid}[]: Forbidden: at most one of \`sinceTime\` or \`sinceSeconds\` may be specified`,
    ]);
    assert.deepEqual(problem('sinceSeconds=1&sinceTime=')[0], 422);
    assert.deepEqual(problem('tailLines=-1&limitBytes=-1'), [
      422,
      'Invalid',
      `${invalid}[tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: -1: must be greater than 0]`,
    ]);
    checkLogOptions(read('tailLines=0&limitBytes=1&sinceSeconds=1'), 'web');
  });
});

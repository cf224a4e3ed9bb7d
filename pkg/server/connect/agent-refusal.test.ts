import assert from 'node:assert/strict';
import { agentRefusal } from './agent-refusal.ts';

describe('agentRefusal', () => {
  const of = (code: number, text = 'what it said') => {
    const { status } = agentRefusal(code, text, 'pods/log', 'web');
    return [status.code, status.reason, status.message];
  };

  it('hands on what an agent says is wrong with the request, or with itself', () => {
    assert.deepEqual(of(400), [400, 'BadRequest', 'what it said']);
    assert.deepEqual(of(500), [500, 'InternalError', 'Internal error occurred: what it said']);
  });

  it('reports other refusals in the words for their codes', () => {
    const about = '( pods/log web)';
    const cases: readonly (readonly [code: number, reason: string, message: string])[] = [
      [401, 'Unauthorized', 'the server has asked for the client to provide credentials'],
      [403, 'Forbidden', 'what it said'],
      [404, 'NotFound', 'the server could not find the requested resource'],
      [405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
      [406, 'NotAcceptable', 'what it said'],
      [409, 'Conflict', 'the server reported a conflict'],
      [415, 'UnsupportedMediaType', 'what it said'],
      [422, 'Invalid', 'the server rejected our request due to an error in our request'],
      [429, 'TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
      [502, 'InternalError', 'an error on the server ("what it said") has prevented the request from succeeding'],
      [503, 'ServiceUnavailable', 'the server is currently unable to handle the request'],
      [
        504,
        'Timeout',
        'the server was unable to return a response in the time allotted, but may still be processing the request',
      ],
    ];
    for (const [code, reason, message] of cases) assert.deepEqual(of(code), [code, reason, `${message} ${about}`]);
    assert.deepEqual(of(418).slice(2), [
      `the server responded with the status code 418 but did not return more information ${about}`,
    ]);
    assert.deepEqual(of(406, '').slice(2), [
      `the server was unable to respond with a content type that the client supports ${about}`,
    ]);
    assert.deepEqual(agentRefusal(404, '', 'pods/log', 'web').status.details, { name: 'web', kind: 'pods/log' });
  });
});

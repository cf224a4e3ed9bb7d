import assert from 'node:assert/strict';
import { FieldErrors } from './field-errors.ts';
import { field } from './field-path.ts';
import * as errors from './status-error.ts';

const PODS = { group: '', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' };

describe('StatusError', () => {
  it('names what was not found', () => {
    const error = errors.notFound(DEPLOYMENTS, 'x');
    assert.deepEqual(error.status, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'deployments.apps "x" not found',
      reason: 'NotFound',
      details: { name: 'x', group: 'apps', kind: 'deployments' },
      code: 404,
    });
    assert.equal(error.message, 'deployments.apps "x" not found');
    assert.ok(errors.isNotFound(error));
    assert.ok(!errors.isConflict(error));
    assert.ok(!errors.isNotFound(new Error('x')));
  });

  it('leaves an empty group and name out of the details', () => {
    assert.deepEqual(errors.alreadyExists(PODS, 'p').status.details, { name: 'p', kind: 'pods' });
    const gk = { group: '', kind: 'Secret' };
    const found = new FieldErrors();
    found.required(field('metadata', 'name'), 'name or generateName is required');
    const { status } = errors.invalid(gk, '', found);
    assert.equal(
      status.message,
      'Secret "" is invalid: metadata.name: Required value: name or generateName is required',
    );
    assert.deepEqual(status.details, {
      kind: 'Secret',
      causes: [
        {
          reason: 'FieldValueRequired',
          message: 'Required value: name or generateName is required',
          field: 'metadata.name',
        },
      ],
    });
  });

  it('lists several field errors, equal ones once in the message and each in the causes', () => {
    const found = new FieldErrors();
    found.invalid(field('a'), 'x', 'bad');
    found.invalid(field('a'), 'x', 'bad');
    found.required(field('b'));
    const { status } = errors.invalid({ group: 'batch', kind: 'Job' }, 'j', found);
    assert.equal(status.message, 'Job.batch "j" is invalid: [a: Invalid value: "x": bad, b: Required value]');
    assert.equal(status.details?.causes?.length, 3);
    assert.equal(status.code, 422);
  });

  const cases: [errors.StatusError, number, string, string][] = [
    [errors.conflict(PODS, 'p', 'changed'), 409, 'Conflict', 'Operation cannot be fulfilled on pods "p": changed'],
    [errors.gone('old'), 410, 'Gone', 'old'],
    [errors.resourceExpired('old'), 410, 'Expired', 'old'],
    [errors.badRequest('no'), 400, 'BadRequest', 'no'],
    [errors.unauthorized('Unauthorized'), 401, 'Unauthorized', 'Unauthorized'],
    [errors.unauthorized(), 401, 'Unauthorized', 'not authorized'],
    [errors.forbidden(PODS, 'p', 'no'), 403, 'Forbidden', 'pods "p" is forbidden: no'],
    [errors.forbidden(PODS, '', 'no'), 403, 'Forbidden', 'pods is forbidden: no'],
    [errors.forbidden({ group: '', resource: '' }, '', 'no'), 403, 'Forbidden', 'forbidden: no'],
    [errors.notAcceptable('no'), 406, 'NotAcceptable', 'no'],
    [errors.unsupportedMediaType('no'), 415, 'UnsupportedMediaType', 'no'],
    [
      errors.requestEntityTooLarge('limit is 3145728'),
      413,
      'RequestEntityTooLarge',
      'Request entity too large: limit is 3145728',
    ],
    [errors.tooManyRequests('slow down', 3), 429, 'TooManyRequests', 'slow down'],
    [errors.timeout('late'), 504, 'Timeout', 'Timeout: late'],
    [
      errors.serverTimeout(PODS, 'list', 1),
      500,
      'ServerTimeout',
      'The list operation against pods could not be completed at this time, please try again.',
    ],
    [errors.serviceUnavailable('down'), 503, 'ServiceUnavailable', 'down'],
    [errors.internalError(new Error('broke')), 500, 'InternalError', 'Internal error occurred: broke'],
    [
      errors.genericServerResponse(405),
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    ],
    [errors.genericServerResponse(406, '406: Not Acceptable'), 406, 'NotAcceptable', '406: Not Acceptable'],
    [
      errors.generateNameConflict(PODS, 'p-x', 1),
      409,
      'AlreadyExists',
      'pods "p-x" already exists, the server was not able to generate a unique name for the object',
    ],
  ];
  for (const [error, code, reason, message] of cases) {
    it(`${code} ${reason}: ${message}`, () => {
      assert.deepEqual([error.code, error.reason, error.message], [code, reason, message]);
    });
  }

  it('gives details where the stock server gives them', () => {
    assert.deepEqual(errors.genericServerResponse(405).status.details, {});
    assert.equal(errors.badRequest('x').status.details, undefined);
    assert.deepEqual(errors.tooManyRequests('x', 2).status.details, { retryAfterSeconds: 2 });
    assert.deepEqual(errors.resourceVersionTooLarge(9, 5, 1).status.details, {
      retryAfterSeconds: 1,
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    });
    assert.deepEqual(errors.successStatus({ name: 'x', kind: 'pods' }), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'x', kind: 'pods' },
    });
  });
});

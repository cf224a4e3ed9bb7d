import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isHttpHeaderName, isValidPortName, isValidPortNum } from '../../../apimachinery/names/names.ts';
import { validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type {
  Container,
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  Probe,
  SleepAction,
  TCPSocketAction,
} from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';

/** Probes and lifecycle hooks: the actions of a node on a running container. */

const HTTP_SCHEMES = ['HTTP', 'HTTPS'];
const ONE_HANDLER = 'may not specify more than 1 handler type';

/** Seconds that a pod has to stop; undefined where the pod's own field is wrong already. */
type GracePeriod = number | undefined;

/** Fields that only long-running containers may have. */
export function validateProbesAndHooks(
  container: Container,
  gracePeriod: GracePeriod,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle?.postStart !== undefined)
    validateHandler(lifecycle.postStart, gracePeriod, path.child('lifecycle', 'postStart'), errors);
  if (lifecycle?.preStop !== undefined)
    validateHandler(lifecycle.preStop, gracePeriod, path.child('lifecycle', 'preStop'), errors);
  if (livenessProbe !== undefined)
    validateOneSuccessProbe(livenessProbe, gracePeriod, path.child('livenessProbe'), errors);
  if (readinessProbe !== undefined) {
    const at = path.child('readinessProbe');
    validateProbe(readinessProbe, gracePeriod, at, errors);
    const seconds = readinessProbe.terminationGracePeriodSeconds;
    if (seconds !== undefined)
      errors.invalid(at.child('terminationGracePeriodSeconds'), seconds, 'must not be set for readinessProbes');
  }
  if (startupProbe !== undefined)
    validateOneSuccessProbe(startupProbe, gracePeriod, path.child('startupProbe'), errors);
}

/** Containers without them: init containers that end, for example. */
export function forbidProbesAndHooks(container: Container, detail: string, path: FieldPath, errors: FieldErrors): void {
  for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (container[name] !== undefined) errors.forbidden(path.child(name), detail);
  }
}

function validateOneSuccessProbe(probe: Probe, gracePeriod: GracePeriod, path: FieldPath, errors: FieldErrors): void {
  validateProbe(probe, gracePeriod, path, errors);
  const threshold = probe.successThreshold ?? 0;
  if (threshold !== 1) errors.invalid(path.child('successThreshold'), threshold, 'must be 1');
}

function validateProbe(probe: Probe, gracePeriod: GracePeriod, path: FieldPath, errors: FieldErrors): void {
  validateHandler(probe, gracePeriod, path, errors);
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    validateNonNegative(probe[name], path.child(name), errors);
  }
  const seconds = probe.terminationGracePeriodSeconds;
  if (seconds !== undefined && seconds <= 0)
    errors.invalid(path.child('terminationGracePeriodSeconds'), seconds, 'must be greater than 0');
}

interface Handler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: TCPSocketAction;
  readonly grpc?: GRPCAction;
  readonly sleep?: SleepAction;
}

function validateHandler(handler: Handler, gracePeriod: GracePeriod, path: FieldPath, errors: FieldErrors): void {
  const checks: [keyof Handler, (at: FieldPath) => void][] = [
    ['exec', (at) => validateExec(handler.exec!, at, errors)],
    ['httpGet', (at) => validateHttpGet(handler.httpGet!, at, errors)],
    ['tcpSocket', (at) => validatePortNumberOrName(handler.tcpSocket!.port, at.child('port'), errors)],
    ['grpc', (at) => validatePortNumberOrName(handler.grpc!.port, at.child('port'), errors)],
    ['sleep', (at) => validateSleep(handler.sleep!, gracePeriod, at, errors)],
  ];
  let count = 0;
  for (const [name, check] of checks) {
    if (handler[name] === undefined) continue;
    if (count++ === 0) check(path.child(name));
    else errors.forbidden(path.child(name), ONE_HANDLER);
  }
  if (count === 0) errors.required(path, 'must specify a handler type');
}

function validateExec(exec: ExecAction, path: FieldPath, errors: FieldErrors): void {
  if (!exec.command?.length) errors.required(path.child('command'));
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath, errors: FieldErrors): void {
  if (!action.path) errors.required(path.child('path'));
  validatePortNumberOrName(action.port, path.child('port'), errors);
  const scheme = action.scheme ?? '';
  if (!HTTP_SCHEMES.includes(scheme)) errors.notSupported(path.child('scheme'), scheme, HTTP_SCHEMES);
  for (const header of action.httpHeaders ?? [])
    reportProblems(isHttpHeaderName(header.name), header.name, path.child('httpHeaders'), errors);
}

/** A port's number, or its name among the container's or service's ports. */
function validatePortNumberOrName(port: number | string, path: FieldPath, errors: FieldErrors): void {
  reportProblems(typeof port === 'number' ? isValidPortNum(port) : isValidPortName(port), port, path, errors);
}

function validateSleep(sleep: SleepAction, gracePeriod: GracePeriod, path: FieldPath, errors: FieldErrors): void {
  if (gracePeriod === undefined || (sleep.seconds >= 0 && sleep.seconds <= gracePeriod)) return;
  errors.invalid(
    path,
    sleep.seconds,
    `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`,
  );
}

import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { isQualifiedName } from '../../../apimachinery/names/names.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import { MILLI_SAFE_MAX, parseQuantity, Quantity } from '../../../apimachinery/values/quantity.ts';
import type { LimitRange, LimitRangeItem } from '../../../generated/types/core-v1.ts';
import { reportProblems } from '../../validation/names.ts';
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from '../../validation/resource-names.ts';

const STANDARD_TYPES = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const ONE = Quantity.fromInteger(1);

type AmountsField = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

export function validateLimitRange({ spec }: LimitRange, errors: FieldErrors): void {
  const types = new Set<string>();
  for (const [i, item] of (spec.limits ?? []).entries()) {
    const path = field('spec', 'limits').index(i);
    validateType(item.type, path.child('type'), errors);
    if (types.has(item.type)) errors.duplicate(path.child('type'), item.type);
    types.add(item.type);
    validateItem(item, path, errors);
  }
}

function validateType(type: string, path: FieldPath, errors: FieldErrors): void {
  const problems = isQualifiedName(type);
  reportProblems(problems, type, path, errors);
  if (problems.length > 0 || type.includes('/') || STANDARD_TYPES.has(type)) return;
  errors.invalid(path, type, 'must be a standard limit type or fully qualified');
}

function validateItem(item: LimitRangeItem, path: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>();
  const validateNames = (list: AmountsField): void => {
    const check =
      item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName;
    for (const name of Object.keys(item[list] ?? {})) {
      check(name, path.child(list).key(name), errors);
      names.add(name);
    }
  };
  validateNames('max');
  validateNames('min');
  const isPod = item.type === 'Pod';
  for (const list of ['default', 'defaultRequest'] as const) {
    if (!isPod) validateNames(list);
    else if (item[list] !== undefined) errors.forbidden(path.child(list), "may not be specified when `type` is 'Pod'");
  }
  if (
    item.type === 'PersistentVolumeClaim' &&
    getKey(item.min, 'storage') === undefined &&
    getKey(item.max, 'storage') === undefined
  ) {
    errors.required(
      path.child('limits'),
      'either minimum or maximum storage value is required, but neither was provided',
    );
  }
  validateNames('maxLimitRequestRatio');
  for (const name of names) {
    const amounts = amountsOf(item, name);
    validateOrder(amounts, name, path, errors);
    validateRatio(amounts, path.child('maxLimitRequestRatio').key(name), errors);
    validateNoOvercommit(amounts, name, path, errors);
  }
}

/** The values of an item for one resource. */
interface Amounts {
  readonly max: Quantity | undefined;
  readonly min: Quantity | undefined;
  readonly limit: Quantity | undefined;
  readonly request: Quantity | undefined;
  readonly ratio: Quantity | undefined;
}

function amountsOf(item: LimitRangeItem, name: string): Amounts {
  const amount = (list: AmountsField): Quantity | undefined => {
    const text = getKey<string>(item[list], name);
    return text === undefined ? undefined : parseQuantity(text);
  };
  const isPod = item.type === 'Pod';
  return {
    max: amount('max'),
    min: amount('min'),
    limit: isPod ? undefined : amount('default'),
    request: isPod ? undefined : amount('defaultRequest'),
    ratio: amount('maxLimitRequestRatio'),
  };
}

/** min <= default request <= default limit <= max. */
function validateOrder(
  { max, min, limit, request }: Amounts,
  name: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const check = (
    less: Quantity | undefined,
    more: Quantity | undefined,
    list: AmountsField,
    shown: Quantity | undefined,
    lessName: string,
    moreName: string,
  ): void => {
    if (less === undefined || more === undefined || less.compare(more) <= 0) return;
    errors.invalid(
      path.child(list).key(name),
      shown!.toGoText(),
      `${lessName} value ${less} is greater than ${moreName} value ${more}`,
    );
  };
  check(min, max, 'min', min, 'min', 'max');
  check(min, request, 'defaultRequest', request, 'min', 'default request');
  check(request, max, 'defaultRequest', request, 'default request', 'max');
  check(request, limit, 'defaultRequest', request, 'default request', 'default limit');
  check(min, limit, 'default', min, 'min', 'default');
  check(limit, max, 'default', max, 'default', 'max');
}

/** A ratio of limit to request that the bounds allow at all. */
function validateRatio({ max, min, ratio }: Amounts, path: FieldPath, errors: FieldErrors): void {
  if (ratio === undefined) return;
  if (ratio.compare(ONE) < 0) errors.invalid(path, ratio.toGoText(), `ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const fine = [ratio, min, max].every((amount) => amount.value() < MILLI_SAFE_MAX);
  const value = fine ? Number(ratio.milliValue()) / 1000 : Number(ratio.value());
  const bound = fine ? Number(max.milliValue()) / Number(min.milliValue()) : Number(max.value()) / Number(min.value());
  if (value > bound)
    errors.invalid(path, ratio.toGoText(), `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`);
}

function validateNoOvercommit({ limit, request }: Amounts, name: string, path: FieldPath, errors: FieldErrors): void {
  if (isOvercommitAllowed(name) || limit === undefined || request === undefined || limit.equals(request)) return;
  errors.invalid(
    path.child('defaultRequest').key(name),
    request.toGoText(),
    `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
  );
}

import { durationMs, parseDuration } from '../../pkg/apimachinery/values/duration.ts';
import { parseFieldSelector } from '../../pkg/apimachinery/selectors/field-selector.ts';
import { parseCidr, parseIp } from '../../pkg/apimachinery/names/ip.ts';
import { parseJson, stringifyJson } from '../../pkg/apimachinery/json/json.ts';
import { parseLabelSelector } from '../../pkg/apimachinery/selectors/label-selector.ts';
import { parseQuantity } from '../../pkg/apimachinery/values/quantity.ts';
import { parseMicroTime, parseTime } from '../../pkg/apimachinery/values/time.ts';
import { parseCronSchedule } from '../../pkg/api/batch/cron-job/cron-schedule.ts';
import { tolerationsFromJson } from '../../pkg/api/core/pod-spec/tolerations-json.ts';
import { parseYaml, toYaml } from '../../pkg/codec/yaml.ts';
import { acceptsGzip, parseAccept } from '../../pkg/server/documents/accept-header.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const ofText = (name: string, seeds: readonly string[], read: (text: string) => unknown): FuzzTarget => ({
  name,
  seeds,
  run: (input) => read(input.toString()),
});

/** The small languages that values of objects and parameters are written in. */
export const textTargets: readonly FuzzTarget[] = [
  {
    name: 'JSON',
    seeds: ['{"a":[1,-2.5e3,"x\\u00e9",null,true,{"b":{}}],"big":12345678901234567890}', '[]', '"text"'],
    run: (input) => stringifyJson(parseJson(input)),
  },
  ofText(
    'YAML',
    ['a: 1\nb: [x, "y"]\nc: &z {d: null}\ne: *z\n', '- |\n  text\n- >-\n  folded\n- !!str 1\n', '{"json": true}'],
    (text) => toYaml(parseYaml(text)),
  ),
  ofText('label selectors', ['a=b,c!=d,e in (f,g),!h,i', 'x notin (y),z>1', 'example.com/a==b'], parseLabelSelector),
  ofText('field selectors', ['metadata.name=a,status.phase!=Running', 'a=b\\,c'], parseFieldSelector),
  ofText('quantities', ['1500m', '1.5Gi', '12e6', '-0.1', '+3k', '100000000000000000000'], (text) =>
    String(parseQuantity(text)),
  ),
  ofText('times', ['2026-02-28T23:59:59Z', '2026-02-28T23:59:59.123456+01:30'], parseTime),
  ofText('precise times', ['2026-02-28T23:59:59.123456+01:30'], parseMicroTime),
  ofText('durations', ['1h2m3.5s', '-10ms', '1us', '0'], (text) => [parseDuration(text), durationMs(text)]),
  ofText('addresses', ['10.0.0.1', '2001:db8::1', '::ffff:1.2.3.4', '10.0.0.0/8'], (text) => [
    parseIp(text),
    parseCidr(text),
  ]),
  ofText(
    'tolerations in annotations',
    ['[{"key":"a","operator":"Exists","value":"","effect":"NoExecute","tolerationSeconds":60},null]'],
    tolerationsFromJson,
  ),
  ofText(
    'headers about encodings',
    ['gzip;q=0.5, identity;q=0, *', 'application/json;q=1.0;v=v2, text/*;q=0.001'],
    (text) => [parseAccept(text), acceptsGzip(text)],
  ),
  ofText('cron schedules', ['*/5 1-3,7 * jan MON-FRI', '@hourly', 'TZ=UTC 0 0 1 1 *', '@every 1h'], parseCronSchedule),
];

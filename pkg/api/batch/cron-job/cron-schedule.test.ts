import assert from 'node:assert/strict';
import { CronError, parseCronSchedule } from './cron-schedule.ts';
import { timeZoneProblem } from './time-zone.ts';

function problem(text: string): string | undefined {
  try {
    parseCronSchedule(text);
    return undefined;
  } catch (e) {
    assert.ok(e instanceof CronError);
    return e.message;
  }
}

describe('cron schedule', () => {
  for (const text of [
    '* * * * *',
    '*/5 0-6/2 1,15 jan-MAR Sun,fri',
    '5/15 ? * * 6',
    '@daily',
    '@every 1h30m',
    'TZ=Europe/Berlin 0 0 * * *',
    'CRON_TZ=UTC @hourly',
    ' 1  2 3\t4 5 ',
  ]) {
    it(`reads ${text}`, () => assert.equal(problem(text), undefined));
  }

  it('names the values', () => {
    assert.deepEqual(parseCronSchedule('5/20 1-3 */10 feb 0'), {
      kind: 'calendar',
      timeZone: undefined,
      fields: [[5, 25, 45], [1, 2, 3], [1, 11, 21, 31], [2], [0]],
    });
    assert.deepEqual(parseCronSchedule('@every 90s'), { kind: 'interval', seconds: 90 });
  });

  const cases: [string, string][] = [
    ['often', 'expected exactly 5 fields, found 1: [often]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    [
      '99999999999999999999 * * * *',
      'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
    ],
    ['* * * * 1-x', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['*/-5 * * * *', 'negative number (-5) not allowed: -5'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ['TZ=Mars/Olympus * * * * *', 'provided bad location Mars/Olympus: unknown time zone Mars/Olympus'],
    ['', 'empty spec string'],
  ];
  for (const [text, expected] of cases) it(`refuses ${text || 'nothing'}`, () => assert.equal(problem(text), expected));
});

describe('time zone', () => {
  for (const name of [
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'America/Port-au-Prince',
    'Asia/Kolkata',
    'Etc/GMT+5',
    'EST5EDT',
  ]) {
    it(`knows ${name}`, () => assert.equal(timeZoneProblem(name), undefined));
  }
  for (const name of ['Europe/Atlantis', 'europe/berlin', 'EUROPE/BERLIN', '+01:00', 'x'.repeat(300)]) {
    it(`does not know ${name.slice(0, 20)}`, () => assert.equal(timeZoneProblem(name), `unknown time zone ${name}`));
  }
  it('refuses paths', () => assert.equal(timeZoneProblem('../etc/passwd'), 'time: invalid location name'));
});

import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { parseRequestInfo } from '../../server/request/request-info.ts';
import { FlowController, Seat } from '../../server/flow-control/flow-controller.ts';
import { levelOf, limited, schemaOf } from '../../server/flow-control/flow-testing.ts';
import { FlowControlSeries } from './flow-control-series.ts';
import { registerFamilies } from './metric-family.ts';

/** Of a stock server of release 1.36, with their types and labels. */
const known: Readonly<Record<string, readonly [type: string, ...labels: string[]]>> = {
  current_executing_requests: ['gauge', 'flow_schema', 'priority_level'],
  current_executing_seats: ['gauge', 'flow_schema', 'priority_level'],
  current_inqueue_requests: ['gauge', 'flow_schema', 'priority_level'],
  current_inqueue_seats: ['gauge', 'flow_schema', 'priority_level'],
  current_limit_seats: ['gauge', 'priority_level'],
  current_r: ['gauge', 'priority_level'],
  demand_seats: ['histogram', 'priority_level'],
  demand_seats_average: ['gauge', 'priority_level'],
  demand_seats_high_watermark: ['gauge', 'priority_level'],
  demand_seats_smoothed: ['gauge', 'priority_level'],
  demand_seats_stdev: ['gauge', 'priority_level'],
  dispatched_requests_total: ['counter', 'flow_schema', 'priority_level'],
  lower_limit_seats: ['gauge', 'priority_level'],
  nominal_limit_seats: ['gauge', 'priority_level'],
  priority_level_request_utilization: ['histogram', 'phase', 'priority_level'],
  priority_level_seat_utilization: ['histogram', 'phase', 'priority_level'],
  read_vs_write_current_requests: ['histogram', 'phase', 'request_kind'],
  rejected_requests_total: ['counter', 'flow_schema', 'priority_level', 'reason'],
  request_concurrency_in_use: ['gauge', 'flow_schema', 'priority_level'],
  request_concurrency_limit: ['gauge', 'priority_level'],
  request_execution_seconds: ['histogram', 'flow_schema', 'priority_level', 'type'],
  request_queue_length_after_enqueue: ['histogram', 'flow_schema', 'priority_level'],
  request_wait_duration_seconds: ['histogram', 'execute', 'flow_schema', 'priority_level'],
  seat_fair_frac: ['gauge'],
  target_seats: ['gauge', 'priority_level'],
  upper_limit_seats: ['gauge', 'priority_level'],
  watch_count_samples: ['histogram', 'flow_schema', 'priority_level'],
  work_estimated_seats: ['histogram', 'flow_schema', 'priority_level'],
};

describe('FlowControlSeries', () => {
  it('has the metrics of a stock server, with its labels', async () => {
    let now = 0;
    const series = new FlowControlSeries();
    const controller = new FlowController(
      { totalSeats: 2, clock: () => now, later: (run) => run(), observer: series },
      [schemaOf('s', 1, 'work', [{ kind: 'User', user: { name: '*' } }])],
      [levelOf('catch-all', limited(0, 0)), levelOf('work', limited(5, 1, { queueLengthLimit: 1 }))],
    );
    const registry = new Registry();
    registerFamilies(
      registry,
      series.families(() => controller),
    );
    const user = { name: 'u', groups: [] };
    const ask = (method: string) => {
      const info = parseRequestInfo(method, '/api/v1/namespaces/a/pods', false);
      return controller.ask(
        controller.classify(user, info),
        user,
        info,
        { seats: 1, finalSeats: 0, finalSeconds: 0, watchers: 3 },
        undefined,
      );
    };
    const seats = ['GET', 'POST', 'POST'].map(ask).filter((outcome) => outcome instanceof Seat);
    assert.equal(ask('POST'), 'queue-full');
    now = 2;
    seats[0]!.giveBack();
    now = 3;
    seats[1]!.giveBack();
    controller.adjust();
    const text = await registry.metrics();
    const found = new Map<string, Set<string>>();
    const types = new Map(
      [...text.matchAll(/^# TYPE apiserver_flowcontrol_(\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]),
    );
    for (const [, name, labels] of text.matchAll(/^apiserver_flowcontrol_(\w+)(?:\{(.*)\})? /gm)) {
      const family = types.has(name!) ? name! : name!.replace(/_(bucket|sum|count)$/, '');
      const names = found.get(family) ?? new Set();
      for (const [, label] of (labels ?? '').matchAll(/(\w+)="/g)) if (label !== 'le') names.add(label!);
      found.set(family, names);
    }
    assert.deepEqual(
      Object.fromEntries(
        [...found].map(([name, labels]) => [name, [types.get(name), ...[...labels].toSorted()]]).toSorted(),
      ),
      known,
    );
    const value = (line: string): number =>
      Number(
        text
          .split('\n')
          .find((each) => each.startsWith(`apiserver_flowcontrol_${line} `))
          ?.split(' ')
          .at(-1),
      );
    assert.equal(value('dispatched_requests_total{flow_schema="s",priority_level="work"}'), 3);
    assert.equal(value('rejected_requests_total{flow_schema="s",priority_level="work",reason="queue-full"}'), 1);
    assert.equal(value('request_wait_duration_seconds_sum{execute="true",flow_schema="s",priority_level="work"}'), 2);
    assert.equal(value('request_execution_seconds_sum{flow_schema="s",priority_level="work",type="regular"}'), 5);
    // Two of two seats for three seconds, counted in nanoseconds.
    assert.equal(value('priority_level_seat_utilization_count{phase="executing",priority_level="work"}'), 3e9);
    assert.equal(value('priority_level_seat_utilization_sum{phase="executing",priority_level="work"}'), 3e9);
    assert.equal(value('read_vs_write_current_requests_count{phase="waiting",request_kind="mutating"}'), 3e9);
  });
});

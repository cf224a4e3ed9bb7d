import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { LogArrival } from './log-arrival.ts';

describe('LogArrival', () => {
  it('fails from the first lost line until one is written', () => {
    const destination = new EventEmitter();
    const arrival = new LogArrival();
    arrival.follow(destination);
    arrival.assert();
    destination.emit('error', new Error('no space'));
    assert.throws(() => arrival.assert(), /^Error: the log cannot be written: no space$/);
    destination.emit('write', 10);
    arrival.assert();
    destination.emit('drop', 'line');
    assert.throws(() => arrival.assert(), /^Error: lines of the log are dropped: nobody reads it$/);
    destination.emit('write', 10);
    arrival.assert();
  });
});

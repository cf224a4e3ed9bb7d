'use strict';
const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

/** Lines of an error that the sum of failures repeats: enough to see what and where, few enough that several failures fit a screen. */
const HEAD_LINES = 4;
const TAIL_LINES = 10;
const STACK_LINES = 4;

/** A long message counts by its ends: what was done stands at the start, what a program said last at the end. */
function shortened(text) {
  const lines = text.split('\n');
  const stack = lines.findIndex((line) => /^ +at /.test(line));
  const message = lines.slice(0, stack < 0 ? lines.length : stack);
  const left = message.length - HEAD_LINES - TAIL_LINES;
  if (left > 0) message.splice(HEAD_LINES, left, `... ${left} lines`);
  return [...message, ...(stack < 0 ? [] : lines.slice(stack, stack + STACK_LINES))]
    .map((line) => `    ${line}`)
    .join('\n');
}

/**
 * Prints what mocha's dot reporter prints and names every skipped test. The file of the option `output` gets `passed
 * failed skipped` in its first line and after it each failure, so that a script that runs several suites can repeat
 * them all at the end.
 */
class SummingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    const failed = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.on('fail', (test, error) =>
      failed.push(`  ${test.fullTitle()}\n${shortened(String(error?.stack ?? error))}\n`),
    );
    runner.once('end', () => {
      for (const title of skipped) console.log(`skipped: ${title}`);
      const { passes, failures, pending } = this.stats;
      writeFileSync(options.reporterOption.output, `${passes} ${failures} ${pending}\n${failed.join('')}`);
    });
  }
}

module.exports = SummingReporter;

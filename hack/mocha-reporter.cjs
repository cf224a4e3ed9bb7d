'use strict';
const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

/** Lines of an error's stack that the sum of failures repeats: enough to find the place, few enough that ten failures fit a screen. */
const STACK_LINES = 6;

const indented = (text) => text.split('\n').slice(0, STACK_LINES).map((line) => `    ${line}`).join('\n');

/**
 * Prints what mocha's dot reporter prints and names every skipped test. The file of the option `output` gets `passed failed skipped` in its first
 * line and after it each failure, so that whoever runs several suites can repeat them all at the end.
 */
class SummingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    const failed = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.on('fail', (test, error) => failed.push(`  ${test.fullTitle()}\n${indented(String(error?.stack ?? error))}\n`));
    runner.once('end', () => {
      for (const title of skipped) console.log(`skipped: ${title}`);
      const { passes, failures, pending } = this.stats;
      writeFileSync(options.reporterOption.output, `${passes} ${failures} ${pending}\n${failed.join('')}`);
    });
  }
}

module.exports = SummingReporter;

'use strict';
const { writeFileSync } = require('node:fs');
const Mocha = require('mocha');

/** Prints what mocha's dot reporter prints, names every skipped test, and writes `passed failed skipped` to the file of the option `output`. */
class SummingReporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.once('end', () => {
      for (const title of skipped) console.log(`skipped: ${title}`);
      const { passes, failures, pending } = this.stats;
      writeFileSync(options.reporterOption.output, `${passes} ${failures} ${pending}\n`);
    });
  }
}

module.exports = SummingReporter;

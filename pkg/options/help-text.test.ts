import assert from 'node:assert/strict';
import { apiServerOptions } from './api-server-options.ts';
import { helpText } from './help-text.ts';
import { optionGroup } from './option.ts';

const rows = [
  ...optionGroup('One', [
    { name: 'plain', type: 'string', default: 'p', help: 'A text' },
    { name: 'servers', aliases: ['old-servers', 's'], type: 'stringSlice', help: 'Some texts' },
    { name: 'only-up', type: 'duration', default: '5m0s', components: ['up'], help: 'A time' },
  ]),
  ...optionGroup('Two', [
    { name: 'flag', type: 'bool', default: 'true', defaults: { up: 'false' }, help: 'A switch' },
    { name: 'old', type: 'int', deprecated: 'use flag', inert: 'there is nothing to count', help: 'A number' },
  ]),
];

describe('helpText', () => {
  it('lists the options of a component by group, with other names, defaults and ignored ones', () => {
    assert.equal(
      helpText(rows, 'apiserver', 'Usage: x'),
      [
        'Usage: x',
        '',
        'One:',
        '  --plain string',
        '      A text (default p)',
        '  --servers stringSlice (also --old-servers, -s)',
        '      Some texts',
        '',
        'Two:',
        '  --flag bool',
        '      A switch (default true)',
        '  --old int',
        '      A number. Deprecated: use flag. Does nothing: there is nothing to count',
        '',
      ].join('\n'),
    );
    assert.match(
      helpText(rows, 'up', ''),
      /--only-up duration\n {6}A time \(default 5m0s\)\n[^]*A switch \(default false\)/,
    );
  });

  it('ends with the features, where they are an option', () => {
    assert.match(
      helpText(apiServerOptions, 'apiserver', ''),
      /\n\nFeatures of --feature-gates:\n {2}APIListChunking \(beta, default true\)\n/,
    );
    assert.doesNotMatch(helpText(rows, 'apiserver', ''), /Features/);
  });
});

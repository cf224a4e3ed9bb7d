import { optionGroup } from '../option.ts';

/** The command itself. */
export const generalOptions = optionGroup('General', [
  {
    name: 'config',
    type: 'string',
    file: true,
    help: 'YAML file of options: their names as keys, lists and maps as such. Flags win over the file',
  },
  { name: 'help', aliases: ['h'], type: 'bool', help: 'Print these options and quit' },
  { name: 'version', type: 'bool', help: 'Print the version and quit' },
]);

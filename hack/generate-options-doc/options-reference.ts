import type { AnyResource } from '../../pkg/api/resource-definition.ts';
import { groupOf } from '../../pkg/api/scheme.ts';
import { featureGates, type FeatureGate } from '../../pkg/options/feature-gates.ts';
import type { Component, Option } from '../../pkg/options/option.ts';

const introduction = `# Options

Options of \`binnacle up\` and \`binnacle apiserver\`, and below those of the programs beside an API server. Written by \`make docs\` from the table in \`pkg/options\`; a test checks that it is up to date.

- Options are flags (\`--name=value\`, \`--name value\`, \`--switch\`), keys of the YAML file that \`--config\` names, or both; flags win. Lists and maps may be YAML lists and
  mappings there; on the command line they have commas between their items, or are given several times.
- All errors are reported at once, with option, value and rule; the exit status is then 2.
- An option that does nothing is accepted so that existing manifests start the server; the log says so once.
- *with up* shows the default of \`binnacle up\` where it is another.
`;

const gatesIntroduction = `## Features

\`--feature-gates\` takes \`Name=true\` and \`Name=false\`, also in the neutral spelling; a name that is not here is an error. \`AllAlpha\` turns on every alpha feature that is not named
itself.

- *acts*: the server does something else.
- *fields*: the fields of the feature are dropped from what clients write when it is turned off by name. When it is not named they are kept, whatever its default: later releases
  have no gate for them any more, and their clients send them.
- *fields when on*: the fields of the feature are dropped unless the gate is on, as stock servers do with what is alpha in release 1.36.
- *elsewhere*: a matter of other components; accepted and checked.
`;

const storageIntroduction = `## Stored versions

Versions in which the objects of a group are stored without \`--storage-versions\`. Whatever the option says, objects in every version of a kind are read.
`;

/** A program beside the API server, as the reference shows it. */
export interface ProgramReference {
  readonly component: Component;
  readonly options: readonly Option[];
}

/** The text of docs/options.md. */
export function optionsReference(
  options: readonly Option[],
  resources: readonly AnyResource[],
  programs: readonly ProgramReference[] = [],
): string {
  const groups = [...new Set(options.map((option) => option.group))];
  const sections = groups.map(
    (group) => `## ${group}\n\n${optionTable(options.filter((option) => option.group === group))}`,
  );
  return [
    introduction,
    ...sections,
    `${gatesIntroduction}\n${gateTable()}`,
    `${storageIntroduction}\n${storedVersions(resources)}`,
    ...programs.map((program) => `## binnacle ${program.component}\n\n${programTable(program)}`),
  ].join('\n');
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['Option', 'Type', 'Default', 'Effect'],
    options.map((option) => [nameCell(option), option.type, defaultCell(option), effectCell(option)]),
  );
}

function programTable({ component, options }: ProgramReference): string {
  const rows = options.map((row) => ({ ...row, default: row.defaults?.[component] ?? row.default, defaults: {} }));
  return table(
    ['Option', 'Group', 'Type', 'Default', 'Effect'],
    rows.map((row) => [
      nameCell(row),
      row.group,
      row.type,
      row.default === undefined || row.default === '' ? '' : `\`${row.default}\``,
      effectCell({ ...row, components: [] }),
    ]),
  );
}

function nameCell({ name, aliases = [] }: Pick<Option, 'name' | 'aliases'>): string {
  return [name, ...aliases].map((text) => `\`${text.length === 1 ? '-' : '--'}${text}\``).join(', ');
}

function defaultCell({ default: common = '', defaults = {} }: Option): string {
  const code = (text: string): string => (text === '' ? 'none' : `\`${text}\``);
  const up = defaults.up === undefined || defaults.up === common ? '' : `; with up ${code(defaults.up)}`;
  return common === '' && up === '' ? '' : `${code(common)}${up}`;
}

function effectCell({
  help,
  inert,
  deprecated,
  components,
}: Pick<Option, 'help' | 'inert' | 'deprecated' | 'components'>): string {
  const notes = [
    components.length === 1 ? `With \`${components[0]}\` alone.` : '',
    deprecated === undefined ? '' : `Deprecated: ${deprecated}.`,
    inert === undefined ? '' : `**Does nothing**: ${inert}.`,
  ];
  return [`${help}.`, ...notes].filter((text) => text !== '').join(' ');
}

function gateTable(): string {
  const rows = (Object.entries(featureGates) as [string, FeatureGate][]).map(([name, gate]) => [
    `\`${name}\`${gate.alias === undefined ? '' : `, \`${gate.alias}\``}`,
    gate.stage,
    String(gate.default),
    gate.here,
    gate.effect,
  ]);
  return table(['Feature', 'Stage', 'Default', 'Here', 'Effect'], rows);
}

function storedVersions(resources: readonly AnyResource[]): string {
  const byGroup = new Map<string, Map<string, string[]>>();
  for (const { group, storageVersion, resource, virtual } of resources) {
    if (virtual === true) continue;
    const versions = byGroup.get(group) ?? new Map<string, string[]>();
    byGroup.set(group, versions.set(storageVersion, [...(versions.get(storageVersion) ?? []), resource]));
  }
  const rows = [...byGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, versions]) =>
      [...versions].map(([version, names]) => [
        `\`${version}\``,
        groupOf(version) === '' ? 'core' : groupOf(version),
        names.sort().join(', '),
      ]),
    );
  return table(['Version', 'Group', 'Resources'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

import { FeatureGates } from './feature-gates.ts';
import type { Option, OptionValues } from './option.ts';
import { switchText } from './value-types.ts';
import { withdrawnVersions } from './withdrawn-versions.ts';

/** A notice that a start logs once about its options. */
export interface StartNotice {
  readonly message: string;
  /** Name of the option without dashes. */
  readonly option: string;
}

/**
 * Options that were set and do nothing, or are deprecated; a plugin without effect, versions without resources, sinks
 * of events without a policy; and settings that leave the server open.
 */
export function startNotices(rows: readonly Option[], options: OptionValues): StartNotice[] {
  const given = rows.filter((row) => row.components.includes(options.component) && options.isGiven(row.name));
  return [
    ...given.flatMap(({ name, inert }) =>
      inert === undefined ? [] : [{ option: name, message: `--${name} does nothing: ${inert}` }],
    ),
    ...given.flatMap(({ name, deprecated }) =>
      deprecated === undefined ? [] : [{ option: name, message: `--${name} is deprecated: ${deprecated}` }],
    ),
    ...initializers(options),
    ...withdrawn(options),
    ...nothingWrittenDown(options),
    ...openDoor(options),
  ];
}

/** An operator who enables the plugin may expect objects to wait. */
function initializers(options: OptionValues): StartNotice[] {
  const option = ['enable-admission-plugins', 'admission-control'].find((name) =>
    options.list(name).includes('Initializers'),
  );
  if (option === undefined) return [];
  return [
    {
      option,
      message:
        'the admission plugin Initializers has nothing to do: no InitializerConfiguration can exist here, since the kind was withdrawn in release 1.14',
    },
  ];
}

/** Turned on by manifests of the time; without an entry they are off. */
function withdrawn(options: OptionValues): StartNotice[] {
  const on = [...options.pairs('runtime-config')].filter(
    ([key, value]) => withdrawnVersions.has(key.split('/').slice(0, 2).join('/')) && switchText(value) !== 'false',
  );
  return on.map(([key]) => ({
    option: 'runtime-config',
    message: `--runtime-config cannot turn on ${key}: nothing is served in that version any more`,
  }));
}

/** Stock servers start without a policy as well, and record nothing. */
function nothingWrittenDown(options: OptionValues): StartNotice[] {
  if (options.string('audit-policy-file') !== '' || !FeatureGates.of(options).enabled('AdvancedAuditing')) return [];
  const sinks = ['audit-log-path', 'audit-webhook-config-file'].filter((name) => options.string(name) !== '');
  return sinks.map((option) => ({
    option,
    message: `--${option} gets no events: nothing is written down without --audit-policy-file`,
  }));
}

function openDoor(options: OptionValues): StartNotice[] {
  if (!options.bool('anonymous-auth') || !options.list('authorization-mode').includes('AlwaysAllow')) return [];
  return [
    {
      option: 'authorization-mode',
      message:
        'ANYONE WHO REACHES THIS SERVER MAY DO ANYTHING: --authorization-mode has AlwaysAllow and --anonymous-auth is on. Use --authorization-mode=Node,RBAC, or --anonymous-auth=false',
    },
  ];
}

import { invalid } from '../core/errors.ts'
import { everySetting } from './catalog.ts'
import type { SettingsRow } from './rows.ts'
import type { Settings, SettingsPatch } from './schema.ts'

/** The catalog defines both the type and the paths. */
export const settingsOf = (valueNow: (setting: { path: string; variable: string }) => unknown): Settings => {
  const settings: Record<string, Record<string, unknown>> = {}
  for (const setting of everySetting) {
    const [group = '', name = ''] = setting.path.split('.')
    settings[group] ??= {}
    settings[group][name] = valueNow(setting)
  }
  return settings as Settings
}

/** A setting by its dotted path with its new value; null removes the stored one. */
type Change = readonly [path: string, value: unknown]

export const changesIn = (patch: SettingsPatch): Change[] =>
  Object.entries(patch).flatMap(([group, settings]) =>
    Object.entries(settings ?? {}).map(([name, value]): Change => [`${group}.${name}`, value]),
  )

export const merged = (values: SettingsRow['values'], changes: readonly Change[]) => {
  const next = { ...values }
  for (const [path, value] of changes) {
    if (value === null) delete next[path]
    else next[path] = value
  }
  return next
}

/** The settings at the start of the process by variable, and which of them the environment set. */
export type Given = { values: Readonly<Record<string, unknown>>; names: ReadonlySet<string> }

/** The reason why a value is impossible in this configuration, as a message that follows the setting's path. */
export type Objection = (path: string, value: unknown) => string | undefined | Promise<string | undefined>

/** Throws Problem `invalid` `setting_not_changeable` that names each impossible change. */
export const refuseUnchangeable = async (
  changes: readonly Change[],
  { given, objection }: { given: Given; objection: Objection },
) => {
  const issueOf = async ([path, value]: Change) => {
    const variable = everySetting.find((one) => one.path === path)?.variable ?? ''
    const message = given.names.has(variable)
      ? `is decided by ${variable} in the environment`
      : // Null removes the stored value; the value from the start of the process applies again.
        await objection(path, value ?? given.values[variable])
    return message === undefined ? [] : [{ path, message }]
  }
  const issues = (await Promise.all(changes.map(issueOf))).flat()
  if (issues.length > 0) throw invalid(issues, 'setting_not_changeable')
}

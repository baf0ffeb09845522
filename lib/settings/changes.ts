import { everySetting } from './catalog.ts'
import type { SettingsRow } from './rows.ts'
import type { Settings, SettingsPatch } from './schema.ts'

/** The catalog made both the type and the paths. */
export const settingsOf = (valueNow: (setting: { path: string; variable: string }) => unknown): Settings => {
  const settings: Record<string, Record<string, unknown>> = {}
  for (const setting of everySetting) {
    const [group = '', name = ''] = setting.path.split('.')
    settings[group] ??= {}
    settings[group][name] = valueNow(setting)
  }
  return settings as Settings
}

/** A setting by its dotted path with its new value; null takes the stored one back. */
export type Change = readonly [path: string, value: unknown]

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

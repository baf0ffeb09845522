import { busyError } from '../core/contention.ts'
import { invalid } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { SETTINGS_ID, type SettingsRow, settingsRows } from './rows.ts'
import { everySetting, type Settings, type SettingsPatch, type Source } from './schema.ts'

/** The settings at the start of the process by variable, and which of them the environment set. */
type StartSettings = { values: Readonly<Record<string, unknown>>; names: ReadonlySet<string> }

/** The reason why a value is impossible in this configuration, as a message that follows the setting's path. */
export type Objection = (path: string, value: unknown) => string | undefined | Promise<string | undefined>

type Needs = {
  store: Store
  given: StartSettings
  objection: Objection
  clock: Clock
  entropy: Entropy
  audit: (principal: Principal, action: string, details: object) => Promise<void>
  /** The longest age of cached settings: Infinity where no other process can change them. */
  staleAfterMs: number
}

type Setting = (typeof everySetting)[number]

/** A setting by its dotted path with its new value; null removes the stored one. */
type Change = readonly [path: string, value: unknown]

const NOTHING: SettingsRow = { id: SETTINGS_ID, version: 0, values: {} }

export type SettingsService = ReturnType<typeof createSettings>

/** Settings that an admin may change while the service runs. The environment takes precedence over stored values. */
export const createSettings = (needs: Needs) => {
  const { given, staleAfterMs } = needs
  const listeners: ((settings: Settings) => void)[] = []
  let settings: Settings

  const cached = createVersionedRow<SettingsRow>(needs, {
    of: settingsRows,
    first: NOTHING,
    staleAfterMs,
    busy: () => busyError('settings_busy', 'Someone else is changing the settings. Try again'),
    onRow: () => {
      settings = settingsBy(presentValue)
      for (const listener of listeners) listener(settings)
    },
  })

  const valueSource = ({ path, variable }: Setting): Source =>
    given.names.has(variable) ? 'environment' : path in cached.row().values ? 'stored' : 'default'

  const presentValue = (setting: Setting): unknown =>
    valueSource(setting) === 'stored' ? cached.row().values[setting.path] : given.values[setting.variable]

  settings = settingsBy(presentValue)

  const read = () => ({
    settings,
    sources: Object.fromEntries(everySetting.map((setting) => [setting.path, valueSource(setting)])),
  })

  /** Changes settings. Throws Problem `invalid` that names each setting which the environment fixes. */
  const change = async (principal: Principal, patch: SettingsPatch) => {
    const changes = changesIn(patch)
    if (changes.length === 0) return { changed: false, ...read() }
    await refuseUnchangeable(changes, needs)
    await cached.change(({ values }) => ({ set: { values: merged(values, changes) } }))
    const answer = { changed: true, ...read() }
    await needs.audit(principal, 'settings.change', Object.fromEntries(changes))
    return answer
  }

  return {
    /** Calls back with the settings after each read and change. */
    onRead: (listener: (settings: Settings) => void) => void listeners.push(listener),
    current: (): Settings => settings,
    /** Resolves when the cached settings are recent enough; undefined when they already are. */
    refresh: cached.refresh,
    reread: cached.load,
    /** Resolves when a read that begins now has ended; undefined where no other process can change settings. */
    latest: () => (staleAfterMs === Number.POSITIVE_INFINITY ? cached.refresh() : cached.load()),
    read,
    change,
    /** Replaces the hash `from`, where undefined means no key; false when another process has replaced it. */
    replaceAccessKeyHash: async (from: string | undefined, to: string | undefined): Promise<boolean> => {
      let isReplaced = false
      await cached.change(({ accessKeyHash }) => {
        isReplaced = (accessKeyHash || undefined) === from
        return isReplaced ? { set: { accessKeyHash: to ?? '' } } : undefined
      })
      return isReplaced
    },
    accessKeyHash: (): string | undefined => cached.row().accessKeyHash || undefined,
  }
}

const settingsBy = (value: (setting: Setting) => unknown): Settings => {
  const settings: Record<string, Record<string, unknown>> = {}
  for (const setting of everySetting) {
    const [group = '', name = ''] = setting.path.split('.')
    settings[group] ??= {}
    settings[group][name] = value(setting)
  }
  return settings as Settings
}

const changesIn = (patch: SettingsPatch): Change[] =>
  Object.entries(patch).flatMap(([group, settings]) =>
    Object.entries(settings ?? {}).map(([name, value]): Change => [`${group}.${name}`, value]),
  )

const merged = (values: SettingsRow['values'], changes: readonly Change[]) =>
  Object.fromEntries(
    Object.entries({ ...values, ...Object.fromEntries(changes) }).filter(([, value]) => value !== null),
  )

/** Throws Problem `invalid` `setting_not_changeable` that names each impossible change. */
const refuseUnchangeable = async (
  changes: readonly Change[],
  { given, objection }: Pick<Needs, 'given' | 'objection'>,
) => {
  const issuesWith = async ([path, value]: Change) => {
    const variable = everySetting.find((one) => one.path === path)?.variable ?? ''
    const message = given.names.has(variable)
      ? `is set by ${variable} in the environment`
      : // Null removes the stored value; the value from the start of the process applies again.
        await objection(path, value ?? given.values[variable])
    return message === undefined ? [] : [{ path, message }]
  }
  const issues = (await Promise.all(changes.map(issuesWith))).flat()
  if (issues.length > 0) throw invalid(issues, 'setting_not_changeable')
}

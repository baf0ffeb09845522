import { invalid, Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { everySetting } from './catalog.ts'
import { type Change, changesIn, merged, settingsOf } from './changes.ts'
import { SETTINGS_ID, type SettingsRow, settingsRows } from './rows.ts'
import type { Settings, SettingsPatch, Source } from './schema.ts'

/** The settings as the process was started with, by variable, and which of them the environment gave. */
export type Given = { values: Readonly<Record<string, unknown>>; names: ReadonlySet<string> }

/** Why a value cannot be taken while the service runs as it does, as a message that follows the setting's path. */
export type Objection = (path: string, value: unknown) => string | undefined

type Needs = {
  store: Store
  given: Given
  objection: Objection
  clock: Clock
  audit: (principal: Principal, action: string, details: object) => Promise<void>
  /** How old what was read may be: for ever where no other process can change it. */
  staleAfterMs: number
}

const NOTHING: SettingsRow = { id: SETTINGS_ID, version: 0, values: {} }
const TRIES = 5

export type SettingsService = ReturnType<typeof createSettings>

/** Settings that an admin may change while the service runs. What the environment says goes before what is stored. */
export const createSettings = (needs: Needs) => {
  const { store, given, clock, staleAfterMs } = needs
  const listeners: ((settings: Settings) => void)[] = []
  let row = NOTHING
  let settings: Settings
  let readAt: number | undefined
  let reading: Promise<void> | undefined

  const hold = (next: SettingsRow) => {
    row = next
    settings = settingsOf(valueNow)
    readAt = clock.monotonic()
    for (const tell of listeners) tell(settings)
  }

  const load = async () => hold((await store.get(settingsRows, SETTINGS_ID)) ?? NOTHING)

  /** Resolves when what `current` tells is not older than it may be; at once when it is not. */
  const refresh = (): Promise<void> | undefined => {
    if (readAt !== undefined && clock.monotonic() - readAt < staleAfterMs) return undefined
    reading ??= load().finally(() => {
      reading = undefined
    })
    return reading
  }

  const sourceOf = ({ path, variable }: { path: string; variable: string }): Source =>
    given.names.has(variable) ? 'environment' : path in row.values ? 'stored' : 'default'

  const valueNow = (setting: { path: string; variable: string }): unknown =>
    sourceOf(setting) === 'stored' ? row.values[setting.path] : given.values[setting.variable]

  settings = settingsOf(valueNow)

  const read = () => ({
    settings,
    sources: Object.fromEntries(everySetting.map((setting) => [setting.path, sourceOf(setting)])),
  })

  /** Writes on what was read last; when somebody else wrote in between, reads again and tries once more. */
  const write = async (changed: (row: SettingsRow) => Partial<SettingsRow>) => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      await load()
      const next = { ...row, ...changed(row), version: row.version + 1 }
      const { applied } =
        row.version === 0
          ? await store.commit<SettingsRow>({ insert: settingsRows, row: next })
          : await store.commit<SettingsRow>(replaced(row, next))
      if (applied) return hold(next)
    }
    throw new Problem('unavailable', 'settings_busy', 'Others are changing the settings: try again')
  }

  /** Changes settings. Throws Problem `invalid` for those that the environment decides, naming each. */
  const change = async (principal: Principal, patch: SettingsPatch) => {
    const changes = changesIn(patch)
    if (changes.length === 0) return read()
    refuse(changes, needs)
    await write(({ values }) => ({ values: merged(values, changes) }))
    await needs.audit(principal, 'settings.change', Object.fromEntries(changes))
    return read()
  }

  return {
    /** Calls back with the settings whenever they were read or changed. */
    onRead: (tell: (settings: Settings) => void) => void listeners.push(tell),
    /** Every setting as it holds now, as far as this process knows. */
    current: (): Settings => settings,
    refresh,
    read,
    change,
    /** The hash of local mode's access key; undefined takes the key away. */
    setAccessKeyHash: (hash: string | undefined) => write(() => ({ accessKeyHash: hash ?? '' })),
    /** As it was read last. */
    accessKeyHash: (): string | undefined => row.accessKeyHash || undefined,
  }
}

const replaced = (from: SettingsRow, to: SettingsRow) => ({
  update: settingsRows,
  key: SETTINGS_ID,
  when: { version: from.version },
  set: { version: to.version, values: to.values, accessKeyHash: to.accessKeyHash ?? '' },
})

const refuse = (changes: readonly Change[], { given, objection }: Pick<Needs, 'given' | 'objection'>) => {
  const issues = changes.flatMap(([path, value]) => {
    const variable = everySetting.find((one) => one.path === path)?.variable ?? ''
    const message = given.names.has(variable)
      ? `is decided by ${variable} in the environment`
      : // Null takes back what was stored, and leaves what the process was started with.
        objection(path, value ?? given.values[variable])
    return message === undefined ? [] : [{ path, message }]
  })
  if (issues.length > 0) throw invalid(issues, 'setting_not_changeable')
}

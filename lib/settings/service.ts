import { createContention } from '../core/contention.ts'
import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { createRowCache, versionedWrite } from '../core/versioned-row.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { everySetting } from './catalog.ts'
import { changesIn, type Given, merged, type Objection, refuseUnchangeable, settingsOf } from './changes.ts'
import { SETTINGS_ID, type SettingsRow, settingsRows } from './rows.ts'
import type { Settings, SettingsPatch, Source } from './schema.ts'

type Needs = {
  store: Store
  given: Given
  objection: Objection
  clock: Clock
  entropy: Entropy
  audit: (principal: Principal, action: string, details: object) => Promise<void>
  /** The longest age of cached settings: Infinity where no other process can change them. */
  staleAfterMs: number
}

const NOTHING: SettingsRow = { id: SETTINGS_ID, version: 0, values: {} }
const BUSY_MS = 1_000

export type SettingsService = ReturnType<typeof createSettings>

/** Settings that an admin may change while the service runs. The environment takes precedence over stored values. */
export const createSettings = (needs: Needs) => {
  const { store, given, clock, staleAfterMs } = needs
  const contend = createContention({ timer: clock, entropy: needs.entropy })
  const listeners: ((settings: Settings) => void)[] = []
  let settings: Settings

  const cache = createRowCache<SettingsRow>({
    read: () => store.get(settingsRows, SETTINGS_ID),
    first: NOTHING,
    clock,
    staleAfterMs,
    onRow: () => {
      settings = settingsOf(valueNow)
      for (const listener of listeners) listener(settings)
    },
  })

  const sourceOf = ({ path, variable }: { path: string; variable: string }): Source =>
    given.names.has(variable) ? 'environment' : path in cache.row().values ? 'stored' : 'default'

  const valueNow = (setting: { path: string; variable: string }): unknown =>
    sourceOf(setting) === 'stored' ? cache.row().values[setting.path] : given.values[setting.variable]

  settings = settingsOf(valueNow)

  const read = () => ({
    settings,
    sources: Object.fromEntries(everySetting.map((setting) => [setting.path, sourceOf(setting)])),
  })

  /**
   * Writes a change of the cached row and returns the resulting settings; false when `prepare` returns nothing. Throws
   * Problem `unavailable` `settings_busy` when other writers win every time.
   */
  const write = async (prepare: (row: SettingsRow) => Partial<SettingsRow> | undefined) => {
    const written = await contend(async () => {
      await cache.load()
      const before = cache.row()
      const set = prepare(before)
      if (set === undefined) return false
      const next = { ...before, ...set, version: before.version + 1 }
      const { applied } = await store.commit<SettingsRow>(versionedWrite(settingsRows, before, next))
      if (!applied) return undefined
      cache.put(next)
      return read()
    })
    if (written === undefined) throw busy()
    return written
  }

  /** Changes settings. Throws Problem `invalid` that names each setting which the environment fixes. */
  const change = async (principal: Principal, patch: SettingsPatch) => {
    const changes = changesIn(patch)
    if (changes.length === 0) return { changed: false, ...read() }
    await refuseUnchangeable(changes, needs)
    const written = await write(({ values }) => ({ values: merged(values, changes) }))
    await needs.audit(principal, 'settings.change', Object.fromEntries(changes))
    return { changed: true, ...(written || read()) }
  }

  /** Resolves when a read that begins now has ended; undefined where no other process can change settings. */
  const latest = (): Promise<void> | undefined =>
    staleAfterMs === Number.POSITIVE_INFINITY ? cache.refresh() : cache.load()

  return {
    /** Calls back with the settings after each read and change. */
    onRead: (listener: (settings: Settings) => void) => void listeners.push(listener),
    /** Every setting's present value, as cached in this process. */
    current: (): Settings => settings,
    /** Resolves when the cached settings are recent enough; undefined when they already are. */
    refresh: cache.refresh,
    /** Reads the settings from storage, past the cache. */
    reread: cache.load,
    latest,
    read,
    change,
    /**
     * Replaces the hash `from` of local mode's access key, where undefined means no key. False when the stored hash is
     * another one, which another process has set.
     */
    replaceAccessKeyHash: async (from: string | undefined, to: string | undefined): Promise<boolean> => {
      const isTheOne = (row: SettingsRow) => (row.accessKeyHash || undefined) === from
      return (await write((row) => (isTheOne(row) ? { accessKeyHash: to ?? '' } : undefined))) !== false
    },
    /** The hash as it was last read. */
    accessKeyHash: (): string | undefined => cache.row().accessKeyHash || undefined,
  }
}

const busy = () =>
  new Problem('unavailable', 'settings_busy', 'Others are changing the settings: try again', {
    retryAfterMs: BUSY_MS,
  })

import { busyError } from '../core/contention.ts'
import { Problem } from '../core/errors.ts'
import { maskedKey } from '../core/masked-key.ts'
import type { Masker } from '../core/masker.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { MODEL_KEYS_ID, type ModelKeysRow, modelKeyRows, type SealedKey } from './rows.ts'

type Needs = {
  processes: 'one' | 'many'
  store: Store
  cipher: Cipher
  clock: Clock
  entropy: Entropy
  masker: Masker
}

type Keys = Readonly<Record<string, string>>

/** Where other processes change keys too, a process knows of a change within this time. */
const STALE_AFTER_MS = 2_000

const NOTHING: ModelKeysRow = { id: MODEL_KEYS_ID, version: 0, keys: {} }

const sealContext = (provider: string) => `${MODEL_KEYS_ID}/${provider}`

export type StoredKeys = ReturnType<typeof createStoredKeys>

/**
 * The keys of model providers that admins have stored, opened as this process last read them. Made before the domains:
 * models and agents are opened with them. Each key is masked wherever secrets are.
 */
export const createStoredKeys = (needs: Needs) => {
  const { cipher, masker } = needs
  const listeners: (() => void)[] = []
  let opened: { version: number; keys: Keys } = { version: 0, keys: {} }
  let forgetSecrets: readonly (() => void)[] = []

  const cached = createVersionedRow<ModelKeysRow>(needs, {
    of: modelKeyRows,
    first: NOTHING,
    staleAfterMs: needs.processes === 'many' ? STALE_AFTER_MS : Number.POSITIVE_INFINITY,
    busy: () => busyError('model_keys_busy', 'Someone else is changing the model keys. Try again'),
  })

  /** Nothing for a key whose own key is gone: the provider then counts as one without a key. */
  const openKey = async (provider: string, { sealed }: SealedKey): Promise<[string, string][]> => {
    try {
      return [[provider, await cipher.open(sealed, sealContext(provider))]]
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.code === 'sealed_text_unreadable') return []
      throw thrown
    }
  }

  const openKeys = async (row: ModelKeysRow): Promise<void> => {
    if (row.version <= opened.version) return
    const entries = await Promise.all(Object.entries(row.keys).map((entry) => openKey(...entry)))
    // Another call may have opened a later version meanwhile.
    if (row.version <= opened.version) return
    const keys = Object.fromEntries(entries.flat())
    opened = { version: row.version, keys }
    const forgetEarlier = forgetSecrets
    forgetSecrets = Object.values(keys).map((key) => masker.learn(key))
    for (const forget of forgetEarlier) forget()
    for (const listener of listeners) listener()
  }

  const change = async (keys: (before: ModelKeysRow['keys']) => ModelKeysRow['keys']): Promise<void> => {
    await openKeys(await cached.change((row) => ({ set: { keys: keys(row.keys) } })))
  }

  return {
    /** The keys by provider. */
    current: (): Keys => opened.keys,
    /** Calls back after each change of the keys that this process knows. */
    onChange: (listener: () => void) => void listeners.push(listener),
    /** Resolves when the known keys are recent enough. */
    refresh: async (): Promise<void> => {
      const reading = cached.refresh()
      if (reading !== undefined) await openKeys(await reading)
    },
    /** Reads the stored keys, however recent the known ones are; resolves to their masked forms. */
    readMasked: async (): Promise<Readonly<Record<string, string>>> => {
      const row = await cached.load()
      await openKeys(row)
      return Object.fromEntries(Object.entries(row.keys).map(([provider, { masked }]) => [provider, masked]))
    },
    /** Whether any key is stored, also where none can be opened. */
    isAnyStored: async (): Promise<boolean> => Object.keys((await cached.load()).keys).length > 0,
    set: async (provider: string, apiKey: string): Promise<void> => {
      const key = { sealed: await cipher.seal(apiKey, sealContext(provider)), masked: maskedKey(apiKey) }
      await change((before) => ({ ...before, [provider]: key }))
    },
    remove: (provider: string): Promise<void> => change(({ [provider]: _, ...rest }) => rest),
  }
}

/** Where there is no storage, as on a runner. */
export const noStoredKeys: Pick<StoredKeys, 'current' | 'onChange' | 'refresh'> = {
  current: () => ({}),
  onChange: () => undefined,
  refresh: async () => undefined,
}
